/* Thermal: heat in lumps.

   Conventions: a port has a temperature T [K] and a heat flow q [W] that counts positive into the
   component. A component between two ports has dT = a.T - b.T and lets q flow from a to b. */
package Thermal
    define sigma as 5.670374419e-8;

    package Interfaces

        /* T [K], q [W] into the component. */
        connector Port
        interface:
            static potential Real T {unit << "K"};
            static flow Real q {unit << "W"};
        end Port;

        partial model OnePort
        interface:
            static Port a;
        end OnePort;

        /* dT = a.T - b.T; what flows in at a flows out at b: a.q = q, a.q + b.q = 0. */
        partial model TwoPorts
        interface:
            static Port a;
            static Port b;
            static Real dT {unit << "K"};
            static Real q {unit << "W"};
        implementation:
            dT = a.T - b.T;
            a.q = q;
            a.q + b.q = 0;
        end TwoPorts;
    end Interfaces;

    package Sources

        /* Surroundings of constant temperature T [K]. */
        model FixedTemperature
            extends Interfaces.OnePort;
        interface:
            parameter Real T {unit << "K"} << 293.15;
        implementation:
            assert(condition = T >= 0,
                   message = "the temperature T is absolute and must not be negative");
            a.T = T;
        end FixedTemperature;

        /* Heats with the power Q [W]: a.q = -Q. */
        model HeatSource
            extends Interfaces.OnePort;
        interface:
            parameter Real Q {unit << "W"} << 1;
        implementation:
            a.q = -Q;
        end HeatSource;

        /* Heats with the power `signal` [W] that the model around sets. */
        model SignalHeat
            extends Interfaces.OnePort;
        interface:
            static Real signal;
        implementation:
            a.q = -signal;
        end SignalHeat;
    end Sources;

    package Basic

        /* Body of one temperature: C*dT/dt = a.q; C [J/K], T_start [K]. */
        model HeatCapacity
            extends Interfaces.OnePort;
        interface:
            parameter Real C {unit << "J/K"} << 1;
            parameter Real T_start {unit << "K"} << 293.15;
            static Real T {unit << "K"};
        implementation:
            assert(condition = C > 0, message = "the heat capacity C must be positive");
            assert(condition = T_start >= 0,
                   message = "the temperature T_start is absolute and must not be negative");
            T = a.T;
            C*der(x = T, start << T_start) = a.q;
        end HeatCapacity;

        /* Conduction: q = G*dT; G [W/K]. */
        model Conductor
            extends Interfaces.TwoPorts;
        interface:
            parameter Real G {unit << "W/K"} << 1;
        implementation:
            assert(condition = G >= 0, message = "the conductance G must not be negative");
            q = G*dT;
        end Conductor;

        /* Convection: q = h*A*dT; h [W/(m^2.K)], area A [m^2]. */
        model Convection
            extends Interfaces.TwoPorts;
        interface:
            parameter Real h {unit << "W/(m2.K)"} << 10;
            parameter Real A {unit << "m2"} << 1;
        implementation:
            assert(condition = h >= 0 and A >= 0, message = "h and A must not be negative");
            q = h*A*dT;
        end Convection;

        /* Radiation: q = Gr*sigma*(a.T^4 - b.T^4); Gr [m^2] is area times view factor times
           emissivity, sigma the constant of Stefan and Boltzmann. */
        model Radiation
            extends Interfaces.TwoPorts;
        interface:
            parameter Real Gr {unit << "m2"} << 1;
        implementation:
            assert(condition = Gr >= 0,
                   message = "the radiation conductance Gr must not be negative");
            q = Gr*sigma*(a.T^4 - b.T^4);
        end Radiation;
    end Basic;

    /* Bodies that begin in a steady state. */
    package Steady

        /* A body that begins with a balance of heat: dT/dt = 0 at the start; T_start [K] is a first guess. */
        model HeatCapacity
            extends Basic.HeatCapacity;
        implementation:
            if initial() then
                der(x = T) = 0;
            end if;
        end HeatCapacity;
    end Steady;

    package Examples

        /* Two bodies of different temperature in contact, isolated from the rest. */
        model Contact
        interface:
            static Basic.HeatCapacity hot{C << 15, T_start << 373.15};
            static Basic.HeatCapacity cold{C << 15, T_start << 273.15};
            static Basic.Conductor bridge{G << 10};
        implementation:
            connection{a << hot.a, b << bridge.a};
            connection{a << bridge.b, b << cold.a};
        end Contact;

        /* A room with a thermostat: the heater goes on below T_set - width/2 and off above
           T_set + width/2; the wall loses heat to the outside by convection and radiation. */
        model Thermostat
        interface:
            parameter Real T_set {unit << "K"} << 293.15;
            parameter Real width {unit << "K"} << 1;
            static Basic.HeatCapacity room{C << 1e5, T_start << 285.15};
            static Basic.HeatCapacity wall{C << 5e5, T_start << 280.15};
            static Sources.SignalHeat heater;
            static Sources.HeatSource people{Q << 100};
            static Basic.Convection inside{h << 8, A << 30};
            static Basic.Convection outside{h << 2, A << 30};
            static Basic.Radiation sky{Gr << 2};
        implementation:
            static Sources.FixedTemperature air{T << 273.15};
            static Blocks.Hysteresis control{low << T_set - width/2, high << T_set + width/2};
            control.u = room.T;
            if control.on then
                heater.signal = 0;
            else then
                heater.signal = 5000;
            end if;
            connection{a << heater.a, b << room.a};
            connection{a << people.a, b << room.a};
            connection{a << room.a, b << inside.a};
            connection{a << inside.b, b << wall.a};
            connection{a << wall.a, b << outside.a};
            connection{a << wall.a, b << sky.a};
            connection{a << outside.b, b << air.a};
            connection{a << sky.b, b << air.a};
        end Thermostat;
    end Examples;
end Thermal;
