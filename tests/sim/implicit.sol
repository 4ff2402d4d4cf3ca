/* Ideal elements as textbooks write them, in parametric form: a curve (u, i) that s runs along. Each beside
   the library's form of it, in equal surroundings. */

/* Diode: the half lines i = 0 and u = 0. */
model Diode
    extends Electric.Interfaces.TwoPins;
interface:
    static Boolean off;
implementation:
    static Real s;
    off = s < 0;
    if off then
        u = s;
        i = 0;
    else then
        u = 0;
        i = s;
    end if;
end Diode;

/* With resistance and conductance; the same by conditional expressions. */
model ResistiveDiode
    extends Electric.Interfaces.TwoPins;
interface:
    parameter Real R_on << 1e-3;
    parameter Real G_off << 1e-6;
    static Boolean off;
implementation:
    static Real s;
    off = s < 0;
    u = s*(if off then 1 else R_on);
    i = s*(if off then G_off else 1);
end ResistiveDiode;

model Thyristor
    extends Electric.Interfaces.TwoPins;
interface:
    static Boolean fire;
    static Boolean off {start << true};
implementation:
    static Real s;
    off << s < 0 or (pre(off) and not fire);
    if off then
        u = s;
        i = 0;
    else then
        u = 0;
        i = s;
    end if;
end Thyristor;

/* Forward like a diode, backward a voltage that it does not let rise: three pieces. */
model Zener
    extends Electric.Interfaces.TwoPins;
interface:
    parameter Real U_z << 5;
implementation:
    static Real s;
    if s > 0 then
        u = 0;
        i = s;
    else if s < -U_z then
        u = -U_z;
        i = s + U_z;
    else then
        u = s;
        i = 0;
    end if;
end Zener;

/* ---- circuits ---- */

model Bridge
interface:
    static Electric.Sources.SineVoltage source{U << 10, f << 50};
    static Electric.Basic.Resistor R1{R << 1};
    static ResistiveDiode D1;
    static ResistiveDiode D2;
    static ResistiveDiode D3;
    static ResistiveDiode D4;
    static Electric.Basic.Capacitor C{C << 1e-3};
    static Electric.Basic.Resistor load{R << 100};
implementation:
    static Electric.Sources.Ground G;
    connection{a << source.p, b << R1.p};
    connection{a << R1.n, b << D1.p};
    connection{a << D1.p, b << D3.n};
    connection{a << source.n, b << D2.p};
    connection{a << D2.p, b << D4.n};
    connection{a << D1.n, b << C.p};
    connection{a << D2.n, b << C.p};
    connection{a << C.p, b << load.p};
    connection{a << D3.p, b << G.p};
    connection{a << D4.p, b << G.p};
    connection{a << C.n, b << G.p};
    connection{a << load.n, b << G.p};
end Bridge;

/* The same with ideal diodes, and a load alone behind it: |u| without loss. */
model IdealBridge
interface:
    static Electric.Sources.SineVoltage source{U << 10, f << 50};
    static Electric.Basic.Resistor R1{R << 1};
    static Diode D1;
    static Diode D2;
    static Diode D3;
    static Diode D4;
    static Electric.Basic.Resistor load{R << 9};
implementation:
    static Electric.Sources.Ground G;
    connection{a << source.p, b << R1.p};
    connection{a << R1.n, b << D1.p};
    connection{a << D1.p, b << D3.n};
    connection{a << source.n, b << D2.p};
    connection{a << D2.p, b << D4.n};
    connection{a << D1.n, b << load.p};
    connection{a << D2.n, b << load.p};
    connection{a << D3.p, b << G.p};
    connection{a << D4.p, b << G.p};
    connection{a << load.n, b << G.p};
end IdealBridge;

/* The ideal diode by factors, of which one is 0. */
model FactorDiode
    extends Electric.Interfaces.TwoPins;
interface:
    static Boolean off;
implementation:
    static Real s;
    off = s < 0;
    u = s*(if off then 1 else 0);
    i = (if off then 0 else 1)*s;
end FactorDiode;

model FactorBridge
    extends IdealBridge;
interface:
    redeclare static FactorDiode D1;
    redeclare static FactorDiode D2;
    redeclare static FactorDiode D3;
    redeclare static FactorDiode D4;
end FactorBridge;

model Buck
interface:
    parameter Real duty << 0.4;
    parameter Real period << 1e-4;
    static Electric.Sources.ConstantVoltage source{U << 24};
    static Electric.Switches.ResistiveSwitch S;
    static ResistiveDiode D;
    static Electric.Basic.Inductor L{L << 1e-3};
    static Electric.Basic.Capacitor C{C << 1e-4};
    static Electric.Basic.Resistor load{R << 10};
implementation:
    static Electric.Sources.Ground G;
    S.command << Electric.Waveforms.Pulse{period << period, width << duty}() > 0.5;
    connection{a << source.p, b << S.p};
    connection{a << S.n, b << L.p};
    connection{a << L.p, b << D.n};
    connection{a << L.n, b << C.p};
    connection{a << C.p, b << load.p};
    connection{a << source.n, b << G.p};
    connection{a << D.p, b << G.p};
    connection{a << C.n, b << G.p};
    connection{a << load.n, b << G.p};
end Buck;

/* Switch and diode ideal: the diode takes over the current of the coil when the switch opens. With a load alone the current
   is known in closed form. */
model IdealBuck
interface:
    parameter Real T << 1;
    static Electric.Sources.ConstantVoltage source{U << 10};
    static Electric.Switches.ImpulsiveSwitch S;
    static Diode D;
    static Electric.Basic.Inductor L{L << 2};
    static Electric.Basic.Resistor load{R << 4};
implementation:
    static Electric.Sources.Ground G;
    S.command << mod(time, T) < 0.4*T;
    connection{a << source.p, b << S.p};
    connection{a << S.n, b << L.p};
    connection{a << L.p, b << D.n};
    connection{a << L.n, b << load.p};
    connection{a << source.n, b << G.p};
    connection{a << D.p, b << G.p};
    connection{a << load.n, b << G.p};
end IdealBuck;

/* With the diode of the library. */
model LibraryBuck
interface:
    parameter Real T << 1;
    static Electric.Sources.ConstantVoltage source{U << 10};
    static Electric.Switches.ImpulsiveSwitch S;
    static Electric.Switches.Diode D;
    static Electric.Basic.Inductor L{L << 2};
    static Electric.Basic.Resistor load{R << 4};
implementation:
    static Electric.Sources.Ground G;
    S.command << mod(time, T) < 0.4*T;
    connection{a << source.p, b << S.p};
    connection{a << S.n, b << L.p};
    connection{a << L.p, b << D.n};
    connection{a << L.n, b << load.p};
    connection{a << source.n, b << G.p};
    connection{a << D.p, b << G.p};
    connection{a << load.n, b << G.p};
end LibraryBuck;

/* Line inductance: a state comes and goes with the diode. */
model Rectifier
interface:
    static Electric.Sources.SineVoltage source{U << 1, f << 50};
    static Electric.Basic.Inductor line{L << 0.2};
    static Electric.Basic.Resistor R1{R << 10};
    static Diode D;
    static Electric.Basic.Capacitor C{C << 1e-3};
    static Electric.Basic.Resistor load{R << 50};
implementation:
    static Electric.Sources.Ground G;
    connection{a << source.p, b << line.p};
    connection{a << line.n, b << R1.p};
    connection{a << R1.n, b << D.p};
    connection{a << D.n, b << C.p};
    connection{a << C.p, b << load.p};
    connection{a << source.n, b << G.p};
    connection{a << C.n, b << G.p};
    connection{a << load.n, b << G.p};
end Rectifier;

/* Each half wave begins when the thyristor is fired, and ends with it. */
model PhaseControl
interface:
    static Electric.Sources.SineVoltage source{U << 1, f << 50};
    static Thyristor T;
    static Electric.Basic.Resistor load{R << 50};
implementation:
    static Electric.Sources.Ground G;
    T.fire << mod(time, 0.02) > 0.004;
    connection{a << source.p, b << T.p};
    connection{a << T.n, b << load.p};
    connection{a << source.n, b << G.p};
    connection{a << load.n, b << G.p};
end PhaseControl;

/* A limiter: the Zener diode lets no more than 5 V, and no less than 0 V, across itself. */
model Limiter
interface:
    static Electric.Sources.SineVoltage source{U << 10, f << 1};
    static Electric.Basic.Resistor R1{R << 2};
    static Zener Z;
implementation:
    static Electric.Sources.Ground G;
    connection{a << source.p, b << R1.p};
    connection{a << R1.n, b << Z.n};
    connection{a << Z.p, b << G.p};
    connection{a << source.n, b << G.p};
end Limiter;

/* ---- contacts ---- */

/* Dry friction between two bodies. While the rate is zero force and acceleration lie on a curve of three pieces: the contact
   holds up to peak times F_c, else it begins to slide. */
model DryFriction
    extends Translational.Interfaces.Relative;
interface:
    parameter Real F_c << 1;
    parameter Real peak << 1;
    static Integer mode;
implementation:
    static Real v;
    static Real a_rel;
    static Real s;
    v = der(x = s_rel);
    a_rel = der(x = v);
    if mode == 0 then
        if s > peak*F_c then
            f = F_c;
            a_rel = s - peak*F_c;
        else if s < -peak*F_c then
            f = -F_c;
            a_rel = s + peak*F_c;
        else then
            f = s;
            a_rel = 0;
        end if;
    else then
        f = mode*F_c;
        s = 0;
    end if;
    if initial() then
        if v > 0 then mode << 1; else if v < 0 then mode << -1; end if;
    else then
        when mode == 0 and v > 0 and a_rel > 0 then
            mode << 1;
        else when mode == 0 and v < 0 and a_rel < 0 then
            mode << -1;
        else when mode*v < 0 then
            mode << 0;
        end when;
    end if;
end DryFriction;

model StickSlip
interface:
    static Translational.Sources.ConstantSpeed belt{v << 0.1};
    static DryFriction friction{F_c << 5, peak << 2};
    static Translational.Basic.Mass body{m << 1};
    static Translational.Basic.Spring spring{c << 100};
implementation:
    static Translational.Sources.Fixed wall;
    connection{a << belt.a, b << friction.b};
    connection{a << friction.a, b << body.a};
    connection{a << body.b, b << spring.b};
    connection{a << spring.a, b << wall.a};
end StickSlip;

/* Whichever side drives gives its torque with the loss 1 - eta. */
model LossyGear
    extends Rotational.Interfaces.TwoFlanges;
interface:
    parameter Real ratio << 1;
    parameter Real eta << 1;
    static Boolean forward;
implementation:
    static Real w;
    a.phi = ratio*b.phi;
    w = der(x = a.phi);
    forward = a.t*w > 0;
    if forward then
        ratio*eta*a.t + b.t = 0;
    else then
        ratio*a.t + eta*b.t = 0;
    end if;
end LossyGear;

/* A motor turns a wheel through the gear, and brakes it from time 2 on; without loss, the library's gear. */
model Drive
interface:
    parameter Real eta << 1;
    static Rotational.Basic.Inertia motor{J << 0.5};
    static Rotational.Basic.Inertia wheel{J << 8};
    static LossyGear gear{ratio << 2, eta << eta};
    static Rotational.Sources.SignalTorque torque;
implementation:
    torque.signal = if time < 2 then 3 else -1;
    connection{a << torque.f, b << motor.a};
    connection{a << motor.b, b << gear.a};
    connection{a << gear.b, b << wheel.a};
    wheel.b.t = 0;
end Drive;

model PlainDrive
interface:
    static Rotational.Basic.Inertia motor{J << 0.5};
    static Rotational.Basic.Inertia wheel{J << 8};
    static Rotational.Basic.Gear gear{ratio << 2};
    static Rotational.Sources.SignalTorque torque;
implementation:
    torque.signal = if time < 2 then 3 else -1;
    connection{a << torque.f, b << motor.a};
    connection{a << motor.b, b << gear.a};
    connection{a << gear.b, b << wheel.a};
    wheel.b.t = 0;
end PlainDrive;
