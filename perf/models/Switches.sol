/* One switch among n cells that have nothing to do with it. A cell has ten relations and one state. */
package Switches

    /* A low-pass of a sine of its own, and what else one computes of it. */
    model Cell
    interface:
        parameter Integer index;
    implementation:
        static Real omega;
        static Real source;
        static Real x;
        static Real rate;
        static Real square;
        static Real error;
        static Real mean;
        static Real gain;
        static Real sum;
        static Real y;
        omega = 1 + index/1000;
        source = sin(omega*time);
        error = source - x;
        rate = 0.5*error;
        rate = der(x = x, start << 0);
        square = x*x;
        gain = 1/(1 + square);
        mean = 0.5*(source + x);
        sum = mean + gain;
        y = sum*error;
    end Cell;

    model Cells
    interface:
        parameter Integer first;
        parameter Integer n;
    implementation:
        if n > 1 then
            static Cells left{first << first, n << floor(n/2)};
            static Cells right{first << first + floor(n/2), n << n - floor(n/2)};
        else then
            static Cell c{index << first};
        end if;
    end Cells;

    /* A capacitor that is charged and discharged in turn. */
    model Switched
    interface:
        parameter Real every;
        static Real u;
    implementation:
        static Real i;
        static Boolean charging;
        i = 0.1*der(x = u, start << 0);
        if charging then
            i = (1 - u)/2;
        else then
            i = -u/3;
        end if;
        when Sample(interval = every) then
            charging << not pre(charging);
        end when;
    end Switched;

    model Among
    interface:
        parameter Integer n << 10;
        parameter Real every << 0.05;
        static Switched s{every << every};
        static Cells others{first << 0, n << n};
    end Among;

    /* The least there is: for the time from start to exit. */
    model Trivial
    interface:
        static Real x;
    implementation:
        der(x = x, start << 1) = -x;
    end Trivial;
end Switches;
