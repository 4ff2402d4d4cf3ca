/* Uses of components that no example of the library has. */
package Extra

    /* Sources and a block that read the file beside this one. */
    model Tables
    interface:
        static Electric.Sources.TableVoltage voltage{file << "ramp.txt", column << 2};
        static Electric.Sources.TableCurrent current{file << "ramp.txt", column << 3};
        static Electric.Basic.Resistor R1{R << 1};
        static Electric.Basic.Resistor R2{R << 1};
        static Blocks.Table block{file << "ramp.txt"};
    implementation:
        static Electric.Sources.Ground G;
        block.u = 0.5*time;
        connection{a << voltage.p, b << R1.p};
        connection{a << voltage.n, b << G.p};
        connection{a << R1.n, b << G.p};
        connection{a << current.n, b << R2.p};
        connection{a << current.p, b << G.p};
        connection{a << R2.n, b << G.p};
    end Tables;

    /* Wrong on purpose: a pin that nothing is connected to. */
    model OpenPin
    implementation:
        static Electric.Sources.ConstantVoltage source;
        static Electric.Basic.Resistor R;
        static Electric.Sources.Ground G;
        connection{a << source.p, b << R.p};
        connection{a << source.n, b << G.p};
    end OpenPin;

    /* Wrong on purpose: two grounds in one circuit. */
    model TwoGrounds
    implementation:
        static Electric.Sources.ConstantVoltage source;
        static Electric.Basic.Resistor R;
        static Electric.Sources.Ground G1;
        static Electric.Sources.Ground G2;
        connection{a << source.p, b << R.p};
        connection{a << source.n, b << G1.p};
        connection{a << R.n, b << G1.p};
        connection{a << G1.p, b << G2.p};
    end TwoGrounds;

    /* No ground at all: one potential is chosen. */
    model NoGround
    implementation:
        static Electric.Sources.ConstantVoltage source;
        static Electric.Basic.Resistor R;
        connection{a << source.p, b << R.p};
        connection{a << source.n, b << R.n};
    end NoGround;

    /* The second side of the transformer has no ground. */
    model FloatingSide
    implementation:
        static Electric.Sources.SineVoltage source;
        static Electric.Basic.IdealTransformer transformer;
        static Electric.Basic.Resistor load;
        static Electric.Sources.Ground G;
        connection{a << source.p, b << transformer.p1};
        connection{a << source.n, b << transformer.n1};
        connection{a << source.n, b << G.p};
        connection{a << load.p, b << transformer.p2};
        connection{a << load.n, b << transformer.n2};
    end FloatingSide;

    /* A pendulum between two stops, or leaning against one. */
    model Stopped
    interface:
        parameter Real phi_min << -0.5;
        static Planar.Joints.Fixation F;
        static Planar.Joints.LimitedRevolute R{phi_start << 0.7, phi_min << phi_min,
                                               phi_max << 0.8};
        static Planar.Parts.Translation rod{sx << 0, sy << -1};
        static Planar.Parts.Body bob{m << 2, I << 0.1};
    implementation:
        connection{a << F.fa, b << R.fa};
        F.fa.contactIn << R.fa.contactOut;
        R.fa.contactIn << F.fa.contactOut;
        connection{a << R.fb, b << rod.fa};
        R.fb.contactIn << rod.fa.contactOut;
        rod.fa.contactIn << R.fb.contactOut;
        connection{a << rod.fb, b << bob.fa};
        rod.fb.contactIn << bob.fa.contactOut;
        bob.fa.contactIn << rod.fb.contactOut;
    end Stopped;

    /* The same with a ball on a rope below the bob: the impulse of the stop goes along the rope. */
    model StoppedRope
    interface:
        static Planar.Joints.Fixation F;
        static Planar.Joints.LimitedRevolute R{phi_start << 0.7, phi_min << 0.1};
        static Planar.Parts.Translation rod{sx << 0, sy << -1};
        static Planar.Parts.Body bob{m << 2, I << 0.1};
        static Planar.Parts.Rope rope{l << 1};
        static Planar.Parts.FreeBody ball{m << 1, I << 0.1, x_start << -1.5, y_start << -1.1};
    implementation:
        connection{a << F.fa, b << R.fa};
        F.fa.contactIn << R.fa.contactOut;
        R.fa.contactIn << F.fa.contactOut;
        connection{a << R.fb, b << rod.fa};
        R.fb.contactIn << rod.fa.contactOut;
        rod.fa.contactIn << R.fb.contactOut;
        connection{a << rod.fb, b << bob.fa};
        connection{a << rod.fb, b << rope.fa};
        rod.fb.contactIn << bob.fa.contactOut or rope.fa.contactOut;
        bob.fa.contactIn << rod.fb.contactOut or rope.fa.contactOut;
        rope.fa.contactIn << rod.fb.contactOut or bob.fa.contactOut;
        connection{a << rope.fb, b << ball.fa};
        rope.fb.contactIn << ball.fa.contactOut;
        ball.fa.contactIn << rope.fb.contactOut;
    end StoppedRope;

    /* A four-bar linkage whose crank runs against a stop: an impulse in a loop. */
    model StoppedFourBar
        define Joints as Planar.Joints;
        define Parts as Planar.Parts;
    interface:
        static Joints.Fixation F1;
        static Joints.Fixation F2{x << 2};
        static Joints.LimitedRevolute R1{phi_start << -1.2, phi_max << 0};
        static Parts.Translation crank{sx << 1, sy << 0};
        static Parts.Body B1{m << 2, I << 0.2};
        static Joints.PassiveRevolute R2{phi_start << 0.92658611054};
        static Parts.Translation coupler{sx << 2, sy << 0};
        static Parts.Body B2{m << 1, I << 0.1};
        static Joints.LoopRevolute R3;
        static Parts.Translation rocker{sx << 0, sy << 1.5};
        static Joints.PassiveRevolute R4{phi_start << 0.193245262823};
    implementation:
        connection{a << F1.fa, b << R1.fa};
        F1.fa.contactIn << R1.fa.contactOut;
        R1.fa.contactIn << F1.fa.contactOut;
        connection{a << R1.fb, b << crank.fa};
        R1.fb.contactIn << crank.fa.contactOut;
        crank.fa.contactIn << R1.fb.contactOut;
        connection{a << crank.fb, b << B1.fa};
        connection{a << crank.fb, b << R2.fa};
        crank.fb.contactIn << B1.fa.contactOut or R2.fa.contactOut;
        B1.fa.contactIn << crank.fb.contactOut or R2.fa.contactOut;
        R2.fa.contactIn << crank.fb.contactOut or B1.fa.contactOut;
        connection{a << R2.fb, b << coupler.fa};
        R2.fb.contactIn << coupler.fa.contactOut;
        coupler.fa.contactIn << R2.fb.contactOut;
        connection{a << coupler.fb, b << B2.fa};
        connection{a << coupler.fb, b << R3.fa};
        coupler.fb.contactIn << B2.fa.contactOut or R3.fa.contactOut;
        B2.fa.contactIn << coupler.fb.contactOut or R3.fa.contactOut;
        R3.fa.contactIn << coupler.fb.contactOut or B2.fa.contactOut;
        connection{a << F2.fa, b << R4.fa};
        F2.fa.contactIn << R4.fa.contactOut;
        R4.fa.contactIn << F2.fa.contactOut;
        connection{a << R4.fb, b << rocker.fa};
        R4.fb.contactIn << rocker.fa.contactOut;
        rocker.fa.contactIn << R4.fb.contactOut;
        connection{a << rocker.fb, b << R3.fb};
        rocker.fb.contactIn << R3.fb.contactOut;
        R3.fb.contactIn << rocker.fb.contactOut;
    end StoppedFourBar;

    /* Whatever can begin in a steady state, and stays there. */
    model Begun
    interface:
        static Electric.Sources.ConstantVoltage source{U << 10};
        static Electric.Basic.Resistor R1{R << 2};
        static Electric.Steady.Inductor L;
        static Electric.Steady.Capacitor C;
        static Electric.Basic.Resistor R2{R << 3};
        static Thermal.Sources.HeatSource heater{Q << 100};
        static Thermal.Steady.HeatCapacity body{C << 10};
        static Thermal.Basic.Radiation sky{Gr << 2};
        static Rotational.Sources.ConstantTorque motor{T << 6};
        static Rotational.Steady.Inertia shaft{phi_start << 0.5};
        static Rotational.Basic.Damper oil{d << 3};
        static Rotational.Sources.ConstantTorque hand{T << 6};
        static Rotational.Steady.Resting lever{J << 2};
        static Rotational.Basic.Spring torsion{c << 4};
        static Translational.Sources.ConstantForce wind{F << -20};
        static Translational.Steady.Mass sledge{s_start << 1};
        static Translational.Basic.Damper snow{d << 4};
        static Translational.Sources.ConstantForce weight{F << -20};
        static Translational.Steady.Resting pan{m << 2};
        static Translational.Basic.Spring scale{c << 100};
        static Blocks.FirstOrder lag{k << 2, T << 0.5};
        static Blocks.Steady even;
    implementation:
        static Electric.Sources.Ground G;
        static Thermal.Sources.FixedTemperature air;
        static Rotational.Sources.Fixed housing;
        static Translational.Sources.Fixed base;
        connection{a << source.p, b << R1.p};
        connection{a << R1.n, b << L.p};
        connection{a << L.n, b << C.p};
        connection{a << C.p, b << R2.p};
        connection{a << source.n, b << G.p};
        connection{a << C.n, b << G.p};
        connection{a << R2.n, b << G.p};
        connection{a << heater.a, b << body.a};
        connection{a << body.a, b << sky.a};
        connection{a << sky.b, b << air.a};
        connection{a << motor.f, b << shaft.a};
        connection{a << shaft.b, b << oil.a};
        connection{a << oil.b, b << housing.f};
        connection{a << hand.f, b << lever.a};
        connection{a << lever.b, b << torsion.a};
        connection{a << torsion.b, b << housing.f};
        connection{a << wind.a, b << sledge.a};
        connection{a << sledge.b, b << snow.a};
        connection{a << snow.b, b << base.a};
        connection{a << weight.a, b << pan.a};
        connection{a << pan.b, b << scale.a};
        connection{a << scale.b, b << base.a};
        lag.u = 3;
        even.u = lag.y;
    end Begun;
end Extra;
