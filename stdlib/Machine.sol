/* Machine: an engine drives a flywheel through a gear, with two models of the engine.

   While the machine is slow, the torque of the pistons matters; when it is fast, the flywheel
   smooths it, and a constant torque will do. The examples exchange one engine for the other while
   they run, once by branches and once by giving a name a new instance. Flanges and their signs as
   in Rotational. Zimmer 2010, sections 5.8 and 5.9. */
package Machine

    package Engines

        /* Drives with the torque T [N.m]: f.t = -T. */
        model Constant
            extends Rotational.Interfaces.OneFlange;
        interface:
            parameter Real T {unit << "N.m"} << 10;
        implementation:
            f.t = -T;
        end Constant;

        /* Drives with (1 + cos(phi))*T [N.m]: in the mean over one turn T. */
        model Piston
            extends Rotational.Interfaces.OneFlange;
        interface:
            parameter Real T {unit << "N.m"} << 10;
        implementation:
            f.t = -(1 + cos(f.phi))*T;
        end Piston;
    end Engines;

    package Examples

        /* The machine with its pistons all the time. */
        model Slow
        interface:
            static Engines.Piston engine;
            static Rotational.Basic.Gear gear{ratio << 1/1.8};
            static Rotational.Basic.Inertia wheel{J << 1};
        implementation:
            connection{a << engine.f, b << gear.a};
            connection{a << gear.b, b << wheel.a};
            wheel.b.t = 0;
        end Slow;

        /* Above 40 rad/s the other branch drives. */
        model ByBranch
        interface:
            static Rotational.Basic.Gear gear{ratio << 1/1.8};
            static Rotational.Basic.Inertia wheel{J << 1};
        implementation:
            static Boolean fast;
            connection{a << gear.b, b << wheel.a};
            wheel.b.t = 0;
            if fast then
                static Engines.Constant engine;
                connection{a << engine.f, b << gear.a};
            else then
                static Engines.Piston engine;
                connection{a << engine.f, b << gear.a};
            end if;
            when wheel.w > 40 then
                fast << true;
            end when;
        end ByBranch;

        /* Above 40 rad/s `engine` gets another instance. */
        model ByExchange
        interface:
            dynamic Engines.Piston engine{T << 10};
            static Rotational.Basic.Gear gear{ratio << 1/1.8};
            static Rotational.Basic.Inertia wheel{J << 1};
        implementation:
            engine.f.phi = gear.a.phi;
            engine.f.t + gear.a.t = 0;
            connection{a << gear.b, b << wheel.a};
            wheel.b.t = 0;
            when wheel.w > 40 then
                engine <- Engines.Constant{T << 10};
            end when;
        end ByExchange;
    end Examples;
end Machine;
