/* Robot: arms whose hinges are driven by electric motors through elastic gears, with cascaded controllers.

   Conventions: those of Planar (positive angles turn clockwise) and of Rotational. An axis counts its angles at the hinge; its
   motor turns `ratio` times as far. */
package Robot

    package Parts

        /* Hinge without impulses whose angle is that of the shaft f: what turns fb turns fa back. */
        model DrivenHinge
            extends Planar.Interfaces.Hinge;
        interface:
            parameter Real phi_start {unit << "rad"} << 0;
            static Rotational.Interfaces.Flange f;
            static Real w {unit << "rad/s"};
        implementation:
            static Real z {unit << "rad/s2"};
            w = derState(x = phi, start << phi_start);
            z = derState(x = w, start << 0);
            tearing(x = z);
            tearing(x = Wm);
            f.phi = phi;
            fb.t + f.t = 0;
            fb.M = 0;
            fa.contactOut << fb.contactIn;
            fb.contactOut << fa.contactIn;
        end DrivenHinge;

        /* Where current becomes torque: u = k*w, and k*i drives the shaft; k [N.m/A]. */
        model Emf
            extends Electric.Interfaces.TwoPins;
        interface:
            parameter Real k {unit << "N.m/A"} << 0.1;
            static Rotational.Interfaces.Flange f;
            static Real w {unit << "rad/s"};
        implementation:
            w = der(x = f.phi);
            u = k*w;
            f.t + k*i = 0;
        end Emf;

        /* Electric motor with rotor: L*di/dt + R*i + k*w = u between its pins, torque k*i; k [N.m/A], inertia J [kg.m^2] of the rotor. */
        model Motor
            extends Rotational.Interfaces.OneFlange;
        interface:
            parameter Real R {unit << "Ohm"} << 0.45;
            parameter Real L {unit << "H"} << 0.002;
            parameter Real k {unit << "N.m/A"} << 0.1;
            parameter Real J {unit << "kg.m2"} << 1e-4;
            parameter Real phi_start {unit << "rad"} << 0;
            static Electric.Interfaces.Pin p;
            static Electric.Interfaces.Pin n;
            static Real u {unit << "V"};
            static Real i {unit << "A"};
            static Electric.Basic.Resistor winding{R << R};
            static Electric.Basic.Inductor coil{L << L};
            static Emf emf{k << k};
            static Rotational.Basic.Inertia rotor{J << J, phi_start << phi_start};
        implementation:
            assert(condition = R >= 0 and L > 0, message = "R must not be negative, and L positive");
            u = p.u - n.u;
            i = coil.i;
            connection{a << p, b << winding.p};
            connection{a << winding.n, b << coil.p};
            connection{a << coil.n, b << emf.p};
            connection{a << emf.n, b << n};
            connection{a << emf.f, b << rotor.a};
            connection{a << rotor.b, b << f};
        end Motor;

        /* Power stage: the voltage `command` [V] between its pins, u_max [V] at most, behind a resistance R [Ohm]. */
        model Amplifier
        interface:
            parameter Real u_max {unit << "V"} << 60;
            parameter Real R {unit << "Ohm"} << 0.03;
            static Electric.Interfaces.Pin p;
            static Electric.Interfaces.Pin n;
            static Real command {unit << "V"};
        implementation:
            static Blocks.Limiter limit{y_min << -u_max, y_max << u_max};
            static Electric.Sources.SignalVoltage source;
            static Electric.Basic.Resistor inner{R << R};
            limit.u = command;
            source.signal = limit.y;
            connection{a << p, b << inner.p};
            connection{a << inner.n, b << source.p};
            connection{a << source.n, b << n};
        end Amplifier;

        /* Tells the current through it by the voltage across a small resistance R [Ohm]: y [A]. */
        model Shunt
        interface:
            parameter Real R {unit << "Ohm"} << 0.02;
            static Electric.Interfaces.Pin p;
            static Electric.Interfaces.Pin n;
            static Real y {unit << "A"};
        implementation:
            assert(condition = R > 0, message = "the resistance R must be positive");
            static Electric.Basic.Resistor part{R << R};
            static Blocks.Gain scale{k << 1/R};
            connection{a << p, b << part.p};
            connection{a << part.n, b << n};
            scale.u = part.u;
            y = scale.y;
        end Shunt;

        /* Angle phi and speed w of a shaft as a control gets them: by an encoder with `lines` marks a turn, and by a small generator, k [V.s/rad],
           read by a measurement that takes no current. */
        model ShaftSensor
            extends Rotational.Interfaces.OneFlange;
        interface:
            parameter Real lines << 4096;
            parameter Real k {unit << "V.s/rad"} << 0.05;
            static Real phi {unit << "rad"};
            static Real w {unit << "rad/s"};
        implementation:
            assert(condition = lines > 0 and k > 0, message = "lines and k must be positive");
            static Real counts;
            static Electric.Sources.Ground ground;
            static Emf generator{k << k};
            static Electric.Basic.Resistor meter{R << 1e6};
            counts = lines*f.phi/6.283185307179586;
            phi = counts*6.283185307179586/lines;
            connection{a << f, b << generator.f};
            connection{a << generator.p, b << meter.p};
            connection{a << generator.n, b << meter.n};
            connection{a << meter.n, b << ground.p};
            w = meter.u/k;
        end ShaftSensor;

        /* Friction of a bearing that does not stick: Coulomb's torque tau_c [N.m], in proportion to the speed below
           w_s [rad/s], and d*w on top; d [N.m.s/rad]. */
        model SoftFriction
            extends Rotational.Interfaces.OneFlange;
        interface:
            parameter Real tau_c {unit << "N.m"} << 0.02;
            parameter Real d {unit << "N.m.s/rad"} << 1e-4;
            parameter Real w_s {unit << "rad/s"} << 5;
            static Real w {unit << "rad/s"};
        implementation:
            assert(condition = tau_c >= 0 and d >= 0 and w_s > 0,
                   message = "tau_c and d must not be negative, and w_s positive");
            static Blocks.Limiter part{y_min << -1, y_max << 1};
            w = der(x = f.phi);
            part.u = w/w_s;
            f.t = tau_c*part.y + d*w;
        end SoftFriction;

        /* Shows the torque tau [N.m] that goes through it, and the power [W]. */
        model TorqueSensor
            extends Rotational.Interfaces.TwoFlanges;
        interface:
            static Real tau {unit << "N.m"};
            static Real power {unit << "W"};
        implementation:
            static Real w {unit << "rad/s"};
            a.phi = b.phi;
            a.t + b.t = 0;
            tau = a.t;
            w = der(x = a.phi);
            power = tau*w;
        end TorqueSensor;

        /* Gear with an elastic shaft behind it: a.phi = ratio*(angle before the shaft), c [N.m/rad] and d [N.m.s/rad] at b; its bearings take
           d_b [N.m.s/rad] at b. */
        model ElasticGear
            extends Rotational.Interfaces.TwoFlanges;
        interface:
            parameter Real ratio << 100;
            parameter Real c {unit << "N.m/rad"} << 20000;
            parameter Real d {unit << "N.m.s/rad"} << 20;
            parameter Real d_b {unit << "N.m.s/rad"} << 0.5;
            static Rotational.Basic.Gear gear{ratio << ratio};
            static Rotational.Basic.SpringDamper shaft{c << c, d << d};
            static Rotational.Basic.Damper bearings{d << d_b};
            static Rotational.Sources.Fixed housing;
            static TorqueSensor sensor;
        implementation:
            connection{a << a, b << gear.a};
            connection{a << gear.b, b << shaft.a};
            connection{a << shaft.b, b << sensor.a};
            connection{a << sensor.b, b << b};
            connection{a << sensor.b, b << bearings.b};
            connection{a << bearings.a, b << housing.f};
        end ElasticGear;

        /* y = u1 - u2. */
        model Difference
        interface:
            static Real u1;
            static Real u2;
            static Real y;
        implementation:
            y = u1 - u2;
        end Difference;

        /* Position (proportional), speed and current (each proportional with integral) in a cascade, around filters of the
           reference and of what is measured: u [V] from the wanted angle of the motor `wanted` and from phi, w, i. The speed that is asked for is w_max
           [rad/s] at most, the current i_max [A]. */
        model Cascade
        interface:
            parameter Real wanted_start {unit << "rad"} << 0;
            parameter Real kp {unit << "1/s"} << 15;
            parameter Real kv {unit << "A.s/rad"} << 0.2;
            parameter Real Tv {unit << "s"} << 0.1;
            parameter Real kc {unit << "V/A"} << 2;
            parameter Real Tc {unit << "s"} << 0.01;
            parameter Real w_max {unit << "rad/s"} << 400;
            parameter Real i_max {unit << "A"} << 60;
            static Real wanted {unit << "rad"};
            static Real phi {unit << "rad"};
            static Real w {unit << "rad/s"};
            static Real i {unit << "A"};
            static Real u {unit << "V"};
        implementation:
            static Blocks.SecondOrder smooth{w << 40, D << 1, y_start << wanted_start};
            static Blocks.FirstOrder speed{T << 0.001};
            static Blocks.FirstOrder current{T << 0.0003};
            static Difference e_phi;
            static Difference e_w;
            static Difference e_i;
            static Blocks.Gain by_position{k << kp};
            static Blocks.PI by_speed{k << kv, Ti << Tv};
            static Blocks.PI by_current{k << kc, Ti << Tc};
            static Blocks.Limiter w_limit{y_min << -w_max, y_max << w_max};
            static Blocks.Limiter i_limit{y_min << -i_max, y_max << i_max};
            smooth.u = wanted;
            speed.u = w;
            current.u = i;
            e_phi.u1 = smooth.y;
            e_phi.u2 = phi;
            by_position.u = e_phi.y;
            w_limit.u = by_position.y;
            e_w.u1 = w_limit.y;
            e_w.u2 = speed.y;
            by_speed.u = e_w.y;
            i_limit.u = by_speed.y;
            e_i.u1 = i_limit.y;
            e_i.u2 = current.y;
            by_current.u = e_i.y;
            u = by_current.y;
        end Cascade;

        /* Motor with amplifier and sensors, driven by a controller: the angle `wanted` [rad] at its flange; `power` [W] is what it takes. */
        model Drive
            extends Rotational.Interfaces.OneFlange;
        interface:
            parameter Real phi_start {unit << "rad"} << 0;
            parameter Real kv {unit << "A.s/rad"} << 0.2;
            static Real wanted {unit << "rad"};
            static Real power {unit << "W"};
            static Electric.Sources.Ground ground;
            static Amplifier amplifier;
            static Shunt shunt;
            static Motor motor{phi_start << phi_start};
            static ShaftSensor sensor;
            static Cascade control{wanted_start << phi_start, kv << kv};
        implementation:
            connection{a << amplifier.p, b << shunt.p};
            connection{a << shunt.n, b << motor.p};
            connection{a << motor.n, b << amplifier.n};
            connection{a << amplifier.n, b << ground.p};
            connection{a << motor.f, b << f};
            connection{a << motor.f, b << sensor.f};
            control.wanted = wanted;
            control.phi = sensor.phi;
            control.w = sensor.w;
            control.i = shunt.y;
            amplifier.command = control.u;
            power = motor.u*motor.i;
        end Drive;

        /* One axis: hinge, elastic gear with friction, drive. `wanted` [rad] at the hinge, stiffness c [N.m/rad] of the gear
           and the time T [s] of its damping T*c, kv [A.s/rad] of the controller; `power` [W] is what the motor takes. */
        model Axis
            extends Planar.Interfaces.TwoFrames;
        interface:
            parameter Real phi_start {unit << "rad"} << 0;
            parameter Real ratio << 100;
            parameter Real c {unit << "N.m/rad"} << 20000;
            parameter Real T {unit << "s"} << 0.001;
            parameter Real kv {unit << "A.s/rad"} << 0.2;
            static Real wanted {unit << "rad"};
            static Real power {unit << "W"};
            static DrivenHinge hinge{phi_start << phi_start};
            static ElasticGear gear{ratio << ratio, c << c, d << T*c};
            static SoftFriction friction;
            static Drive drive{phi_start << ratio*phi_start, kv << kv};
        implementation:
            fa.contactOut << false;
            fb.contactOut << false;
            connection{a << fa, b << hinge.fa};
            connection{a << hinge.fb, b << fb};
            connection{a << gear.b, b << hinge.f};
            connection{a << drive.f, b << gear.a};
            connection{a << drive.f, b << friction.f};
            drive.wanted = ratio*wanted;
            power = drive.power;
        end Axis;

        /* A rod from fa to fb with a body at its end; sx, sy [m] when it is not turned, m [kg], I [kg.m^2]. */
        model Link
            extends Planar.Interfaces.TwoFrames;
        interface:
            parameter Real sx {unit << "m"} << 0;
            parameter Real sy {unit << "m"} << 0.5;
            parameter Real m {unit << "kg"} << 5;
            parameter Real I {unit << "kg.m2"} << 0.1;
            static Planar.Parts.Translation rod{sx << sx, sy << sy};
            static Planar.Parts.Body body{m << m, I << I};
        implementation:
            fa.contactOut << false;
            fb.contactOut << false;
            connection{a << fa, b << rod.fa};
            connection{a << rod.fb, b << body.fa};
            connection{a << rod.fb, b << fb};
        end Link;
    end Parts;

    package Examples

        /* An arm with six axes that moves all of them at once: 2,000 equations, 66 states, six of whose accelerations are all that inline
           integration iterates. Limits of speed, current and voltage are not reached. */
        model Arm
        interface:
            static Planar.Joints.Fixation base;
            static Parts.Axis A1{phi_start << 0.2, ratio << 120, c << 2e6, kv << 1.9};
            static Parts.Axis A2{phi_start << 0.5, ratio << 120, c << 1e6, kv << 0.9};
            static Parts.Axis A3{phi_start << 0.4, ratio << 100, c << 3e5, kv << 0.4};
            static Parts.Axis A4{phi_start << 0.3, ratio << 100, c << 6e4, kv << 0.13};
            static Parts.Axis A5{phi_start << 0.2, ratio << 80, c << 1e4, kv << 0.08};
            static Parts.Axis A6{phi_start << 0.1, ratio << 80, c << 2e3, kv << 0.06};
            static Parts.Link L1{sy << 0.4, m << 12, I << 0.4};
            static Parts.Link L2{sy << 0.5, m << 10, I << 0.3};
            static Parts.Link L3{sy << 0.4, m << 7, I << 0.15};
            static Parts.Link L4{sy << 0.3, m << 4, I << 0.06};
            static Parts.Link L5{sy << 0.2, m << 2, I << 0.02};
            static Planar.Parts.Translation tool{sx << 0, sy << 0.1};
            static Planar.Parts.Body load{m << 1, I << 0.005};
        implementation:
            connection{a << base.fa, b << A1.fa};
            connection{a << A1.fb, b << L1.fa};
            connection{a << L1.fb, b << A2.fa};
            connection{a << A2.fb, b << L2.fa};
            connection{a << L2.fb, b << A3.fa};
            connection{a << A3.fb, b << L3.fa};
            connection{a << L3.fb, b << A4.fa};
            connection{a << A4.fb, b << L4.fa};
            connection{a << L4.fb, b << A5.fa};
            connection{a << A5.fb, b << L5.fa};
            connection{a << L5.fb, b << A6.fa};
            connection{a << A6.fb, b << tool.fa};
            connection{a << tool.fb, b << load.fa};
            A1.wanted = 0.2 + 0.3*(1 - cos(2*time));
            A2.wanted = 0.5 - 0.4*(1 - cos(3*time));
            A3.wanted = 0.4 + 0.3*(1 - cos(4*time));
            A4.wanted = 0.3 - 0.3*(1 - cos(5*time));
            A5.wanted = 0.2 + 0.2*(1 - cos(6*time));
            A6.wanted = 0.1 - 0.2*(1 - cos(7*time));
        end Arm;
    end Examples;
end Robot;
