/* Blocks: signals from an input u to an output y.

   Blocks are used by name, `static Blocks.Gain g{k << 2}; g.u = x; y = g.y;`, or in place,
   `y = Blocks.Gain{k << 2}(u = x);`. Signals have the units that the model around gives them; time
   constants T, Ti, Td and intervals are in s. */
package Blocks

    partial model Block
    interface:
        static in Real u;
        static out Real y;
    end Block;

    /* y = k*u. */
    model Gain
        extends Block;
    interface:
        parameter Real k << 1;
    implementation:
        y = k*u;
    end Gain;

    /* dy/dt = k*u, y = y_start at the start. */
    model Integrator
        extends Block;
    interface:
        parameter Real k << 1;
        parameter Real y_start << 0;
    implementation:
        der(x = y, start << y_start) = k*u;
    end Integrator;

    /* T*dy/dt + y = k*u. */
    model FirstOrder
        extends Block;
    interface:
        parameter Real k << 1;
        parameter Real T {unit << "s"} << 1;
        parameter Real y_start << 0;
    implementation:
        assert(condition = T > 0, message = "the time constant T must be positive");
        T*der(x = y, start << y_start) + y = k*u;
    end FirstOrder;

    /* y'' + 2*D*w*y' + w^2*y = k*w^2*u; w [rad/s] without damping, damping D. */
    model SecondOrder
        extends Block;
    interface:
        parameter Real k << 1;
        parameter Real w {unit << "rad/s"} << 1;
        parameter Real D {unit << "1"} << 1;
        parameter Real y_start << 0;
        parameter Real v_start << 0;
    implementation:
        assert(condition = w > 0, message = "the angular frequency w must be positive");
        static Real v;
        v = der(x = y, start << y_start);
        der(x = v, start << v_start) + 2*D*w*v + w*w*y = k*w*w*u;
    end SecondOrder;

    /* The derivative of u behind a lag: y = k*(u - x)/T with T*dx/dt = u - x. */
    model Derivative
        extends Block;
    interface:
        parameter Real k << 1;
        parameter Real T {unit << "s"} << 0.01;
        parameter Real x_start << 0;
    implementation:
        assert(condition = T > 0, message = "the time constant T must be positive");
        static Real x;
        static Real d;
        d = der(x = x, start << x_start);
        T*d = u - x;
        y = k*d;
    end Derivative;

    /* y = u, kept between y_min and y_max. */
    model Limiter
        extends Block;
    interface:
        parameter Real y_min << -1;
        parameter Real y_max << 1;
    implementation:
        assert(condition = y_min < y_max, message = "y_min must be less than y_max");
        if u > y_max then
            y = y_max;
        else if u < y_min then
            y = y_min;
        else then
            y = u;
        end if;
    end Limiter;

    /* y = k*(u + x), dx/dt = u/Ti. */
    model PI
        extends Block;
    interface:
        parameter Real k << 1;
        parameter Real Ti {unit << "s"} << 1;
        parameter Real x_start << 0;
    implementation:
        assert(condition = Ti > 0, message = "the time constant Ti must be positive");
        static Real x;
        der(x = x, start << x_start) = u/Ti;
        y = k*(u + x);
    end PI;

    /* PID controller with limited output. From set point w and measured value m:
          e = w - m,  v = k*(e + x - Td*m'),  y = v kept between y_min and y_max,
       where m' is the derivative of m behind a lag Td/N (not that of e: a jump of the set point
       shall not kick), and dx/dt = e/Ti + (y - v)/(k*Ta): while the output is at a limit, the
       integral runs back with the time Ta instead of away. */
    model LimitedPID
    interface:
        parameter Real k << 1;
        parameter Real Ti {unit << "s"} << 1;
        parameter Real Td {unit << "s"} << 0.1;
        parameter Real N << 10;
        parameter Real Ta {unit << "s"} << 0.1;
        parameter Real y_min << -1;
        parameter Real y_max << 1;
        static Real w;
        static Real m;
        static Real y;
    implementation:
        assert(condition = Ti > 0 and Ta > 0,
               message = "the time constants Ti and Ta must be positive");
        assert(condition = Td > 0 and N > 0, message = "Td and N must be positive");
        assert(condition = k <> 0, message = "the gain k must not be zero");
        static Real e;
        static Real x;
        static Real lag;
        static Real d;
        static Real v;
        static Limiter limit{y_min << y_min, y_max << y_max};
        e = w - m;
        d = der(x = lag, start << m);
        Td/N*d = m - lag;
        v = k*(e + x - Td*d);
        limit.u = v;
        y = limit.y;
        der(x = x, start << 0) = e/Ti + (y - v)/(k*Ta);
    end LimitedPID;

    /* Whatever is given as u begins steady: du/dt = 0 at the start. */
    model Steady
    interface:
        static Real u;
    implementation:
        if initial() then
            der(x = u) = 0;
        end if;
    end Steady;

    /* Samples u at every multiple of the interval after its birth, and once at its birth, and holds
       the value in between. */
    model SampleHold
        extends Block;
    interface:
        parameter Real interval {unit << "s"} << 1;
    implementation:
        assert(condition = interval > 0, message = "the interval must be positive");
        static Real held;
        y = held;
        if initial() then
            held << u;
        else then
            when Sample(interval = interval) then
                held << u;
            end when;
        end if;
    end SampleHold;

    /* `on` becomes true where u rises above high and false where u falls below low; it starts as
       on_start. y is 1 while on, else 0. */
    model Hysteresis
    interface:
        parameter Real low << -1;
        parameter Real high << 1;
        parameter Boolean on_start << false;
        static Real u;
        static Boolean on;
        static Real y;
    implementation:
        assert(condition = low < high, message = "low must be less than high");
        if on then
            y = 1;
        else then
            y = 0;
        end if;
        if initial() then
            on << on_start;
        else then
            when not on and u > high then
                on << true;
            else when on and u < low then
                on << false;
            end when;
        end if;
    end Hysteresis;

    /* y = the column of the file at u, interpolated; the values of u in the first column. */
    model Table
        extends Block;
    interface:
        parameter String file;
        parameter Integer column << 2;
    implementation:
        y = table(x = u, file = file, column = column);
    end Table;

    package Examples

        /* The answers of the linear blocks to a jump from 0 to 1 at the start. */
        model Responses
        interface:
            static Gain gain{k << 3};
            static Integrator integrator{k << 2, y_start << 1};
            static FirstOrder lag{k << 2, T << 0.5};
            static SecondOrder swing{k << 1, w << 10, D << 0.2};
            static Derivative lead{T << 0.1};
            static PI pi_{k << 2, Ti << 0.5};
        implementation:
            gain.u = 1;
            integrator.u = gain.y;
            lag.u = 1;
            swing.u = 1;
            lead.u = 1;
            pi_.u = 1;
        end Responses;

        /* A PID controller with limits leads a plant of first order behind an integrator to the
           set point 1. */
        model Control
        interface:
            static LimitedPID controller{k << 4, Ti << 2, Td << 0.3, y_min << -1, y_max << 1};
            static FirstOrder motor{k << 1, T << 0.2};
            static Integrator position{k << 1};
        implementation:
            controller.w = 1;
            controller.m = position.y;
            motor.u = controller.y;
            position.u = motor.y;
        end Control;

        /* A sine, limited, sampled and held, and through a hysteresis. */
        model Signals
        interface:
            static Real x;
            static Limiter limiter{y_min << -0.5, y_max << 0.8};
            static SampleHold hold{interval << 0.125};
            static Hysteresis relay{low << -0.5, high << 0.5};
        implementation:
            x = sin(6.283185307179586*time);
            limiter.u = x;
            hold.u = x;
            relay.u = x;
        end Signals;
    end Examples;
end Blocks;
