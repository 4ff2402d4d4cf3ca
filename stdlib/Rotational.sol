/* Rotational: shafts that turn about one axis.

   Conventions of the whole package
   - A flange has an angle phi [rad] and a torque t [N.m] that counts positive where it acts on the
     component from outside, in the direction of growing phi.
   - A component between two flanges has phi_rel = b.phi - a.phi, w_rel = d(phi_rel)/dt, and the
     torque tau that acts on it at b (and -tau at a): tau*w_rel is the power that it takes up.
   - Angular velocities in rad/s, moments of inertia in kg.m^2. */
package Rotational
    define pi as 3.141592653589793;

    package Interfaces

        /* End of a shaft: phi [rad], t [N.m] acting on the component. */
        connector Flange
        interface:
            static potential Real phi {unit << "rad"};
            static flow Real t {unit << "N.m"};
        end Flange;

        partial model OneFlange
        interface:
            static Flange f;
        end OneFlange;

        partial model TwoFlanges
        interface:
            static Flange a;
            static Flange b;
        end TwoFlanges;

        /* phi_rel = b.phi - a.phi; the torque tau goes through: b.t = tau, a.t = -tau. */
        partial model Relative
            extends TwoFlanges;
        interface:
            static Real phi_rel {unit << "rad"};
            static Real tau {unit << "N.m"};
        implementation:
            phi_rel = b.phi - a.phi;
            b.t = tau;
            a.t + b.t = 0;
        end Relative;
    end Interfaces;

    package Sources

        /* f.phi = phi, constant [rad]; takes any torque. */
        model Fixed
            extends Interfaces.OneFlange;
        interface:
            parameter Real phi {unit << "rad"} << 0;
        implementation:
            f.phi = phi;
        end Fixed;

        /* Drives with the torque T [N.m]: f.t = -T. */
        model ConstantTorque
            extends Interfaces.OneFlange;
        interface:
            parameter Real T {unit << "N.m"} << 1;
        implementation:
            f.t = -T;
        end ConstantTorque;

        /* Drives with T*sin(2*pi*freq*time + phase) [N.m]; freq [Hz], phase [rad]. */
        model SineTorque
            extends Interfaces.OneFlange;
        interface:
            parameter Real T {unit << "N.m"} << 1;
            parameter Real freq {unit << "Hz"} << 1;
            parameter Real phase {unit << "rad"} << 0;
        implementation:
            assert(condition = freq >= 0, message = "the frequency freq must not be negative");
            f.t = -T*sin(2*pi*freq*time + phase);
        end SineTorque;

        /* Drives with the torque `signal` [N.m] that the model around sets. */
        model SignalTorque
            extends Interfaces.OneFlange;
        interface:
            static Real signal;
        implementation:
            f.t = -signal;
        end SignalTorque;

        /* Turns with the constant speed w [rad/s] at any torque: f.phi = phi_start + w*time. */
        model ConstantSpeed
            extends Interfaces.OneFlange;
        interface:
            parameter Real w {unit << "rad/s"} << 1;
            parameter Real phi_start {unit << "rad"} << 0;
        implementation:
            f.phi = phi_start + w*time;
        end ConstantSpeed;
    end Sources;

    package Basic

        /* Rigid shaft with inertia J [kg.m^2]: a.phi = b.phi = phi, J*dw/dt = a.t + b.t. */
        model Inertia
            extends Interfaces.TwoFlanges;
        interface:
            parameter Real J {unit << "kg.m2"} << 1;
            parameter Real phi_start {unit << "rad"} << 0;
            parameter Real w_start {unit << "rad/s"} << 0;
            static Real phi {unit << "rad"};
            static Real w {unit << "rad/s"};
        implementation:
            assert(condition = J > 0, message = "the moment of inertia J must be positive");
            static Real z {unit << "rad/s2"};
            phi = a.phi;
            phi = b.phi;
            w = derState(x = phi, start << phi_start);
            z = derState(x = w, start << w_start);
            J*z = a.t + b.t;
        end Inertia;

        /* tau = c*(phi_rel - phi_0); c [N.m/rad], phi_0 [rad]. */
        model Spring
            extends Interfaces.Relative;
        interface:
            parameter Real c {unit << "N.m/rad"} << 1;
            parameter Real phi_0 {unit << "rad"} << 0;
        implementation:
            assert(condition = c >= 0, message = "the stiffness c must not be negative");
            tau = c*(phi_rel - phi_0);
        end Spring;

        /* tau = d*w_rel; d [N.m.s/rad]. */
        model Damper
            extends Interfaces.Relative;
        interface:
            parameter Real d {unit << "N.m.s/rad"} << 1;
            static Real w_rel {unit << "rad/s"};
        implementation:
            assert(condition = d >= 0, message = "the damping d must not be negative");
            w_rel = der(x = phi_rel);
            tau = d*w_rel;
        end Damper;

        /* tau = c*(phi_rel - phi_0) + d*w_rel; c [N.m/rad], d [N.m.s/rad], phi_0 [rad]. */
        model SpringDamper
            extends Interfaces.Relative;
        interface:
            parameter Real c {unit << "N.m/rad"} << 1;
            parameter Real d {unit << "N.m.s/rad"} << 0;
            parameter Real phi_0 {unit << "rad"} << 0;
            static Real w_rel {unit << "rad/s"};
        implementation:
            assert(condition = c >= 0 and d >= 0,
                   message = "stiffness c and damping d must not be negative");
            w_rel = der(x = phi_rel);
            tau = c*(phi_rel - phi_0) + d*w_rel;
        end SpringDamper;

        /* Ideal gear: a.phi = ratio*b.phi, ratio*a.t + b.t = 0, no loss. */
        model Gear
            extends Interfaces.TwoFlanges;
        interface:
            parameter Real ratio << 1;
        implementation:
            assert(condition = ratio <> 0, message = "the ratio must not be zero");
            a.phi = ratio*b.phi;
            ratio*a.t + b.t = 0;
        end Gear;
    end Basic;

    /* Contacts that stick, slide and open; see package Friction for the modes. */
    /* Shafts that begin in a steady state. */
    package Steady

        /* A shaft that begins with constant speed: dw/dt = 0 at the start, from phi_start; w_start is a first guess. */
        model Inertia
            extends Basic.Inertia;
        implementation:
            if initial() then
                z = 0;
            end if;
        end Inertia;

        /* A shaft that begins at rest, in balance: w = 0 and dw/dt = 0 at the start; phi_start is a first guess. */
        model Resting
            extends Inertia;
        implementation:
            if initial() then
                w = 0;
            end if;
        end Resting;
    end Steady;

    package Contacts

        /* Friction clutch, pressed together with the force fn [N] that the model around sets. It
           carries up to mu*geometry*fn while sliding and peak times that before it slides; geometry
           [m] is the number of faces times their mean radius. mode: -1, 1 sliding, 0 sticking, 2
           open. */
        model Clutch
            extends Interfaces.Relative;
        interface:
            parameter Real mu << 0.5;
            parameter Real geometry {unit << "m"} << 1;
            parameter Real peak << 1;
            static Real fn {unit << "N"};
            static Real w_rel {unit << "rad/s"};
            static Integer mode;
        implementation:
            assert(condition = mu >= 0 and geometry >= 0,
                   message = "mu and geometry must not be negative");
            assert(condition = peak >= 1, message = "the peak of friction must be at least 1");
            static Friction.Angular.Dry contact{peak << peak};
            contact.q = phi_rel;
            contact.f = tau;
            contact.limit = mu*geometry*fn;
            w_rel = contact.v;
            mode << contact.mode;
        end Clutch;

        /* The same between a shaft and the housing. w [rad/s] is the speed of the shaft. */
        model Brake
            extends Interfaces.OneFlange;
        interface:
            parameter Real mu << 0.5;
            parameter Real geometry {unit << "m"} << 1;
            parameter Real peak << 1;
            static Real fn {unit << "N"};
            static Real w {unit << "rad/s"};
            static Integer mode;
        implementation:
            assert(condition = mu >= 0 and geometry >= 0,
                   message = "mu and geometry must not be negative");
            assert(condition = peak >= 1, message = "the peak of friction must be at least 1");
            static Friction.Angular.Dry contact{peak << peak};
            contact.q = f.phi;
            contact.f = f.t;
            contact.limit = mu*geometry*fn;
            w = contact.v;
            mode << contact.mode;
        end Brake;

        /* Friction of a bearing: Coulomb's torque tau_c [N.m], peak times that before it turns, and
           d*w on top while it does; d [N.m.s/rad]. */
        model Bearing
            extends Interfaces.OneFlange;
        interface:
            parameter Real tau_c {unit << "N.m"} << 1;
            parameter Real peak << 1;
            parameter Real d {unit << "N.m.s/rad"} << 0;
            static Real w {unit << "rad/s"};
            static Integer mode;
        implementation:
            assert(condition = tau_c >= 0 and d >= 0,
                   message = "the friction tau_c and the damping d must not be negative");
            assert(condition = peak >= 1, message = "the peak of friction must be at least 1");
            static Friction.Angular.Dry contact{peak << peak};
            contact.q = f.phi;
            contact.limit = tau_c;
            f.t = contact.f + d*w;
            w = contact.v;
            mode << contact.mode;
        end Bearing;

        /* Freewheel: b may turn faster than a, but never slower: then a takes b along. */
        model OneWayClutch
            extends Interfaces.Relative;
        interface:
            static Real w_rel {unit << "rad/s"};
            static Boolean locked;
        implementation:
            static Friction.Angular.OneWay contact;
            contact.q = phi_rel;
            contact.f = tau;
            w_rel = contact.v;
            locked << contact.locked;
        end OneWayClutch;

        /* Stop in the housing: phi stays between phi_min and phi_max [rad], inelastic. */
        model HardStop
            extends Interfaces.OneFlange;
        interface:
            parameter Real phi_min {unit << "rad"} << -1;
            parameter Real phi_max {unit << "rad"} << 1;
            static Integer mode;
        implementation:
            assert(condition = phi_min < phi_max, message = "phi_min must be less than phi_max");
            static Friction.Angular.Stop contact{q_min << phi_min, q_max << phi_max};
            contact.q = f.phi;
            contact.f = f.t;
            mode << contact.mode;
        end HardStop;

        /* Stop of stiffness c [N.m/rad] and damping d [N.m.s/rad] between two shafts: phi_rel is
           free between phi_min and phi_max [rad]. */
        model ElasticStop
            extends Interfaces.Relative;
        interface:
            parameter Real phi_min {unit << "rad"} << -1;
            parameter Real phi_max {unit << "rad"} << 1;
            parameter Real c {unit << "N.m/rad"} << 1e4;
            parameter Real d {unit << "N.m.s/rad"} << 0;
        implementation:
            assert(condition = phi_min < phi_max, message = "phi_min must be less than phi_max");
            assert(condition = c > 0 and d >= 0,
                   message = "the stiffness c must be positive, the damping d not negative");
            static Friction.Angular.Buffer contact{q_min << phi_min, q_max << phi_max, c << c, d << d};
            contact.q = phi_rel;
            contact.f = tau;
        end ElasticStop;
    end Contacts;

    package Examples

        /* A torque shakes a motor; a gear of ratio 10 drives a load with a damper and, behind a
           stiff spring, a second load. The gear is rigid: motor and load have one angle between
           them. */
        model GearedDrive
        interface:
            static Sources.SineTorque drive{T << 10, freq << 5};
            static Basic.Inertia motor{J << 0.1};
            static Basic.Gear gear{ratio << 10};
            static Basic.Inertia load1{J << 2};
            static Basic.Damper damper{d << 10};
            static Basic.Spring spring{c << 1e4};
            static Basic.Inertia load2{J << 2};
        implementation:
            static Sources.Fixed housing;
            connection{a << drive.f, b << motor.a};
            connection{a << motor.b, b << gear.a};
            connection{a << gear.b, b << load1.a};
            connection{a << load1.b, b << spring.a};
            connection{a << load1.b, b << damper.b};
            connection{a << damper.a, b << housing.f};
            connection{a << spring.b, b << load2.a};
            load2.b.t = 0;
        end GearedDrive;

        /* Four inertias, three clutches. The first is pressed from the start and ever less, the
           second closes at 0.4 s, the third at 0.9 s; the drive shakes the first inertia. */
        model CoupledClutches
        interface:
            static Sources.SineTorque drive{T << 10, freq << 5};
            static Basic.Inertia J1{J << 1, w_start << 10};
            static Contacts.Clutch clutch1{peak << 1.1};
            static Basic.Inertia J2{J << 1};
            static Contacts.Clutch clutch2{peak << 1.1};
            static Basic.Inertia J3{J << 1};
            static Contacts.Clutch clutch3{peak << 1.1};
            static Basic.Inertia J4{J << 1};
        implementation:
            clutch1.fn = 20*sin(0.4*pi*time + pi/2);
            if time < 0.4 then
                clutch2.fn = 0;
            else then
                clutch2.fn = 20;
            end if;
            if time < 0.9 then
                clutch3.fn = 0;
            else then
                clutch3.fn = 20;
            end if;
            connection{a << drive.f, b << J1.a};
            connection{a << J1.b, b << clutch1.a};
            connection{a << clutch1.b, b << J2.a};
            connection{a << J2.b, b << clutch2.a};
            connection{a << clutch2.b, b << J3.a};
            connection{a << J3.b, b << clutch3.a};
            connection{a << clutch3.b, b << J4.a};
            J4.b.t = 0;
        end CoupledClutches;

        /* An engine on a gearbox of two gears and two clutches accelerates a vehicle. At 2 s one
           clutch hands over to the other: the engine slows down while the vehicle goes on. */
        model DriveTrain
        interface:
            static Sources.ConstantTorque engine{T << 100};
            static Basic.Inertia crank{J << 0.2};
            static Contacts.Clutch clutch1{mu << 0.4, geometry << 0.5};
            static Contacts.Clutch clutch2{mu << 0.4, geometry << 0.5};
            static Basic.Gear first{ratio << 4};
            static Basic.Gear second{ratio << 2};
            static Basic.Inertia vehicle{J << 40};
            static Contacts.Bearing drag{tau_c << 10, d << 0.5};
        implementation:
            if time < 2 then
                clutch1.fn = 2000;
                clutch2.fn = 0;
            else then
                clutch1.fn = 0;
                clutch2.fn = 2000;
            end if;
            connection{a << engine.f, b << crank.a};
            connection{a << crank.b, b << clutch1.a};
            connection{a << crank.b, b << clutch2.a};
            connection{a << clutch1.b, b << first.a};
            connection{a << clutch2.b, b << second.a};
            connection{a << first.b, b << vehicle.a};
            connection{a << second.b, b << vehicle.a};
            connection{a << vehicle.b, b << drag.f};
        end DriveTrain;

        /* A flywheel is spun up, then braked to rest and held against the drive. */
        model Braking
        interface:
            static Sources.ConstantTorque drive{T << 2};
            static Basic.Inertia wheel{J << 0.5};
            static Contacts.Brake brake{mu << 0.5, peak << 1.2};
        implementation:
            if time < 1 then
                brake.fn = 0;
            else then
                brake.fn = 16;
            end if;
            connection{a << drive.f, b << wheel.a};
            connection{a << wheel.b, b << brake.f};
        end Braking;

        /* A shaken shaft drives a flywheel with a damper through a freewheel: the flywheel is only
           pushed forward, and runs on while the shaft goes back. */
        model Freewheel
        interface:
            static Sources.SineTorque drive{T << 10, freq << 1};
            static Basic.Inertia shaft{J << 0.5};
            static Contacts.OneWayClutch clutch;
            static Basic.Inertia wheel{J << 2};
            static Basic.Damper damper{d << 1};
        implementation:
            static Sources.Fixed housing;
            connection{a << drive.f, b << shaft.a};
            connection{a << shaft.b, b << clutch.a};
            connection{a << clutch.b, b << wheel.a};
            connection{a << wheel.b, b << damper.b};
            connection{a << damper.a, b << housing.f};
        end Freewheel;

        /* A lever is driven against its stop and back by a torque that changes its sign; a second
           one hangs on it by a spring and runs into an elastic stop. */
        model Stops
        interface:
            static Sources.SineTorque drive{T << 5, freq << 0.5};
            static Basic.Inertia lever{J << 1};
            static Contacts.HardStop stop{phi_min << -0.2, phi_max << 0.5};
            static Basic.SpringDamper spring{c << 20, d << 0.1};
            static Contacts.ElasticStop buffer{phi_min << -0.3, phi_max << 0.3, c << 1e3, d << 1};
            static Basic.Inertia second{J << 0.2};
        implementation:
            connection{a << drive.f, b << lever.a};
            connection{a << lever.b, b << stop.f};
            connection{a << lever.b, b << spring.a};
            connection{a << lever.b, b << buffer.a};
            connection{a << spring.b, b << second.a};
            connection{a << buffer.b, b << second.a};
            second.b.t = 0;
        end Stops;

        /* A motor turns a disc through a long elastic shaft; dry friction holds the disc until the
           shaft is wound up far enough, lets it run and catches it again: stick and slip. */
        model StickSlip
        interface:
            static Sources.ConstantSpeed motor{w << 1};
            static Basic.Spring shaft{c << 10};
            static Basic.Inertia disc{J << 0.1};
            static Contacts.Bearing friction{tau_c << 1, peak << 1.5};
        implementation:
            connection{a << motor.f, b << shaft.a};
            connection{a << shaft.b, b << disc.a};
            connection{a << disc.b, b << friction.f};
        end StickSlip;

        /* A torque that follows a signal, here the position of the shaft itself: a driven
           oscillator. */
        model Servo
        interface:
            static Sources.SignalTorque drive;
            static Basic.Inertia shaft{J << 1, phi_start << 1};
        implementation:
            drive.signal = -4*shaft.phi;
            connection{a << drive.f, b << shaft.a};
            shaft.b.t = 0;
        end Servo;
    end Examples;
end Rotational;
