/* Parts: the components of test_live_random.c in a file of their own, inside of packages that name each other. */
package Parts
    define frequency as 3;

    package Pins
        connector Pin interface: static potential Real u; static flow Real i; end Pin;

        partial model Two
        interface: static Pin p; static Pin n; static Real u; static Real i;
        implementation: u = p.u - n.u; i = p.i; p.i + n.i = 0;
        end Two;
    end Pins;

    package Basic
        model R extends Pins.Two; interface: parameter Real R << 1; implementation: u = R*i; end R;

        model C extends Pins.Two;
        interface: parameter Real C << 1;
        implementation: i = C*der(x = u, start << 0);
        end C;

        model L extends Pins.Two;
        interface: parameter Real L << 1;
        implementation: u = L*der(x = i, start << 0);
        end L;
    end Basic;

    package Sources
        model V extends Pins.Two;
        interface: parameter Real U << 1;
        implementation: u = U*sin(frequency*time);
        end V;

        model G interface: static Pins.Pin p; implementation: p.u = 0; end G;
    end Sources;
end Parts;
