/* Translational: masses that move along one line.

   Conventions of the whole package
   - A flange has a position s [m] and a force f [N] that counts positive where it acts on the
     component from outside, in the direction of growing s.
   - A component between two flanges has s_rel = b.s - a.s, v_rel = d(s_rel)/dt, and the force f
     that acts on it at b (and -f at a): f*v_rel is the power that it takes up. A spring pulls where
     f > 0. */
package Translational
    define pi as 3.141592653589793;

    package Interfaces

        /* End of a rod: s [m], f [N] acting on the component. */
        connector Flange
        interface:
            static potential Real s {unit << "m"};
            static flow Real f {unit << "N"};
        end Flange;

        partial model OneFlange
        interface:
            static Flange a;
        end OneFlange;

        partial model TwoFlanges
        interface:
            static Flange a;
            static Flange b;
        end TwoFlanges;

        /* s_rel = b.s - a.s; the force f goes through: b.f = f, a.f = -f. */
        partial model Relative
            extends TwoFlanges;
        interface:
            static Real s_rel {unit << "m"};
            static Real f {unit << "N"};
        implementation:
            s_rel = b.s - a.s;
            b.f = f;
            a.f + b.f = 0;
        end Relative;
    end Interfaces;

    package Sources

        /* a.s = s, constant [m]; takes any force. */
        model Fixed
            extends Interfaces.OneFlange;
        interface:
            parameter Real s {unit << "m"} << 0;
        implementation:
            a.s = s;
        end Fixed;

        /* Pushes with the force F [N]: a.f = -F. Weight is a ConstantForce of -m*g. */
        model ConstantForce
            extends Interfaces.OneFlange;
        interface:
            parameter Real F {unit << "N"} << 1;
        implementation:
            a.f = -F;
        end ConstantForce;

        /* Pushes with F*sin(2*pi*freq*time + phase) [N]; freq [Hz], phase [rad]. */
        model SineForce
            extends Interfaces.OneFlange;
        interface:
            parameter Real F {unit << "N"} << 1;
            parameter Real freq {unit << "Hz"} << 1;
            parameter Real phase {unit << "rad"} << 0;
        implementation:
            assert(condition = freq >= 0, message = "the frequency freq must not be negative");
            a.f = -F*sin(2*pi*freq*time + phase);
        end SineForce;

        /* Pushes with the force `signal` [N] that the model around sets. */
        model SignalForce
            extends Interfaces.OneFlange;
        interface:
            static Real signal;
        implementation:
            a.f = -signal;
        end SignalForce;

        /* Moves with the constant speed v [m/s] at any force: a.s = s_start + v*time. */
        model ConstantSpeed
            extends Interfaces.OneFlange;
        interface:
            parameter Real v {unit << "m/s"} << 1;
            parameter Real s_start {unit << "m"} << 0;
        implementation:
            a.s = s_start + v*time;
        end ConstantSpeed;
    end Sources;

    package Basic

        /* Rigid body of mass m [kg]: a.s = b.s = s, m*dv/dt = a.f + b.f. */
        model Mass
            extends Interfaces.TwoFlanges;
        interface:
            parameter Real m {unit << "kg"} << 1;
            parameter Real s_start {unit << "m"} << 0;
            parameter Real v_start {unit << "m/s"} << 0;
            static Real s {unit << "m"};
            static Real v {unit << "m/s"};
        implementation:
            assert(condition = m > 0, message = "the mass m must be positive");
            static Real acc {unit << "m/s2"};
            s = a.s;
            s = b.s;
            v = derState(x = s, start << s_start);
            acc = derState(x = v, start << v_start);
            m*acc = a.f + b.f;
        end Mass;

        /* f = c*(s_rel - s_0); c [N/m], length without force s_0 [m]. */
        model Spring
            extends Interfaces.Relative;
        interface:
            parameter Real c {unit << "N/m"} << 1;
            parameter Real s_0 {unit << "m"} << 0;
        implementation:
            assert(condition = c >= 0, message = "the stiffness c must not be negative");
            f = c*(s_rel - s_0);
        end Spring;

        /* f = d*v_rel; d [N.s/m]. */
        model Damper
            extends Interfaces.Relative;
        interface:
            parameter Real d {unit << "N.s/m"} << 1;
            static Real v_rel {unit << "m/s"};
        implementation:
            assert(condition = d >= 0, message = "the damping d must not be negative");
            v_rel = der(x = s_rel);
            f = d*v_rel;
        end Damper;

        /* f = c*(s_rel - s_0) + d*v_rel; c [N/m], d [N.s/m], s_0 [m]. */
        model SpringDamper
            extends Interfaces.Relative;
        interface:
            parameter Real c {unit << "N/m"} << 1;
            parameter Real d {unit << "N.s/m"} << 0;
            parameter Real s_0 {unit << "m"} << 0;
            static Real v_rel {unit << "m/s"};
        implementation:
            assert(condition = c >= 0 and d >= 0,
                   message = "stiffness c and damping d must not be negative");
            v_rel = der(x = s_rel);
            f = c*(s_rel - s_0) + d*v_rel;
        end SpringDamper;

        /* Lever with a fixed fulcrum: a.s = ratio*b.s, ratio*a.f + b.f = 0, no loss. */
        model Lever
            extends Interfaces.TwoFlanges;
        interface:
            parameter Real ratio << 1;
        implementation:
            assert(condition = ratio <> 0, message = "the ratio must not be zero");
            a.s = ratio*b.s;
            ratio*a.f + b.f = 0;
        end Lever;
    end Basic;

    /* Contacts that stick, slide and open; see package Friction for the modes. */
    /* Masses that begin in a steady state. */
    package Steady

        /* A body that begins with constant speed: dv/dt = 0 at the start, from s_start; v_start is a first guess. */
        model Mass
            extends Basic.Mass;
        implementation:
            if initial() then
                acc = 0;
            end if;
        end Mass;

        /* A body that begins at rest, in balance: v = 0 and dv/dt = 0 at the start; s_start is a first guess. */
        model Resting
            extends Mass;
        implementation:
            if initial() then
                v = 0;
            end if;
        end Resting;
    end Steady;

    package Contacts

        /* Two bodies that slide on each other: force F_c [N] while sliding, peak times that before
           it begins, and d*v_rel on top; d [N.s/m]. mode: -1, 1 sliding, 0 sticking. */
        model SlidingFriction
            extends Interfaces.Relative;
        interface:
            parameter Real F_c {unit << "N"} << 1;
            parameter Real peak << 1;
            parameter Real d {unit << "N.s/m"} << 0;
            static Real v_rel {unit << "m/s"};
            static Integer mode;
        implementation:
            assert(condition = F_c >= 0 and d >= 0,
                   message = "the friction F_c and the damping d must not be negative");
            assert(condition = peak >= 1, message = "the peak of friction must be at least 1");
            static Friction.Linear.Dry contact{peak << peak};
            contact.q = s_rel;
            contact.limit = F_c;
            f = contact.f + d*v_rel;
            v_rel = contact.v;
            mode << contact.mode;
        end SlidingFriction;

        /* Brake on a fixed rail, pressed with the force fn [N] that the model around sets: up to
           mu*fn while sliding, peak times that while it holds. mode: -1, 1, 0, and 2 when open. */
        model Brake
            extends Interfaces.OneFlange;
        interface:
            parameter Real mu << 0.5;
            parameter Real peak << 1;
            static Real fn {unit << "N"};
            static Real v {unit << "m/s"};
            static Integer mode;
        implementation:
            assert(condition = mu >= 0, message = "mu must not be negative");
            assert(condition = peak >= 1, message = "the peak of friction must be at least 1");
            static Friction.Linear.Dry contact{peak << peak};
            contact.q = a.s;
            contact.f = a.f;
            contact.limit = mu*fn;
            v = contact.v;
            mode << contact.mode;
        end Brake;

        /* Ratchet: b may move away from a in positive direction, but never back. */
        model OneWay
            extends Interfaces.Relative;
        interface:
            static Real v_rel {unit << "m/s"};
            static Boolean locked;
        implementation:
            static Friction.Linear.OneWay contact;
            contact.q = s_rel;
            contact.f = f;
            v_rel = contact.v;
            locked << contact.locked;
        end OneWay;

        /* Walls at s_min and s_max [m], inelastic. */
        model HardStop
            extends Interfaces.OneFlange;
        interface:
            parameter Real s_min {unit << "m"} << -1;
            parameter Real s_max {unit << "m"} << 1;
            static Integer mode;
        implementation:
            assert(condition = s_min < s_max, message = "s_min must be less than s_max");
            static Friction.Linear.Stop contact{q_min << s_min, q_max << s_max};
            contact.q = a.s;
            contact.f = a.f;
            mode << contact.mode;
        end HardStop;

        /* Stop of stiffness c [N/m] and damping d [N.s/m] between two bodies: s_rel is free between
           s_min and s_max [m]. */
        model ElasticStop
            extends Interfaces.Relative;
        interface:
            parameter Real s_min {unit << "m"} << -1;
            parameter Real s_max {unit << "m"} << 1;
            parameter Real c {unit << "N/m"} << 1e5;
            parameter Real d {unit << "N.s/m"} << 0;
        implementation:
            assert(condition = s_min < s_max, message = "s_min must be less than s_max");
            assert(condition = c > 0 and d >= 0,
                   message = "the stiffness c must be positive, the damping d not negative");
            static Friction.Linear.Buffer contact{q_min << s_min, q_max << s_max, c << c, d << d};
            contact.q = s_rel;
            contact.f = f;
        end ElasticStop;
    end Contacts;

    package Examples

        /* A body on a moving belt, held by a spring. It rides along until the spring overcomes the
           friction at rest, slips back, and is taken along again. */
        model StickSlip
        interface:
            static Sources.ConstantSpeed belt{v << 0.1};
            static Contacts.SlidingFriction friction{F_c << 5, peak << 2};
            static Basic.Mass body{m << 1};
            static Basic.Spring spring{c << 100};
        implementation:
            static Sources.Fixed wall;
            connection{a << belt.a, b << friction.b};
            connection{a << friction.a, b << body.a};
            connection{a << body.b, b << spring.b};
            connection{a << spring.a, b << wall.a};
        end StickSlip;

        /* Two masses, a spring and a damper between them, and a lever behind the second one. */
        model Oscillator
        interface:
            static Sources.SineForce drive{F << 1, freq << 0.5};
            static Basic.Mass m1{m << 1};
            static Basic.SpringDamper link{c << 50, d << 0.5};
            static Basic.Mass m2{m << 2};
            static Basic.Lever lever{ratio << 2};
            static Basic.Mass m3{m << 1};
            static Basic.Damper damper{d << 1};
        implementation:
            static Sources.Fixed wall;
            connection{a << drive.a, b << m1.a};
            connection{a << m1.b, b << link.a};
            connection{a << link.b, b << m2.a};
            connection{a << m2.b, b << lever.a};
            connection{a << lever.b, b << m3.a};
            connection{a << m3.b, b << damper.b};
            connection{a << damper.a, b << wall.a};
        end Oscillator;

        /* A sledge is pushed, runs into a wall and stays there; when the push turns, it leaves. */
        model Wall
        interface:
            static Sources.SineForce push{F << 2, freq << 0.25};
            static Basic.Mass sledge{m << 1};
            static Contacts.HardStop stop{s_min << -10, s_max << 1};
        implementation:
            connection{a << push.a, b << sledge.a};
            connection{a << sledge.b, b << stop.a};
        end Wall;

        /* A body falls onto an elastic floor and jumps; no energy is lost. */
        model Jumping
        interface:
            static Sources.ConstantForce weight{F << -9.81};
            static Basic.Mass ball{m << 1, s_start << 1};
            static Contacts.ElasticStop base{s_min << 0, s_max << 1e6, c << 1e4};
        implementation:
            static Sources.Fixed ground;
            connection{a << weight.a, b << ball.a};
            connection{a << ball.b, b << base.b};
            connection{a << base.a, b << ground.a};
        end Jumping;

        /* A carriage is pulled by a force that grows with time, while its brake is closed; it
           starts to move when the force exceeds what the brake holds. A ratchet keeps a second
           one. */
        model Braking
        interface:
            static Sources.SignalForce pull;
            static Basic.Mass carriage{m << 2};
            static Contacts.Brake brake{mu << 0.5, peak << 1};
            static Contacts.OneWay ratchet;
            static Basic.Mass second{m << 1};
        implementation:
            pull.signal = 10*time - 2*time^2;
            brake.fn = 20;
            connection{a << pull.a, b << carriage.a};
            connection{a << carriage.b, b << brake.a};
            connection{a << carriage.b, b << ratchet.a};
            connection{a << ratchet.b, b << second.a};
            second.b.f = 0;
        end Braking;
    end Examples;
end Translational;
