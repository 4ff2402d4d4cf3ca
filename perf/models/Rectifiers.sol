/* Half-way rectifiers with line inductance and an ideal diode: one, n without anything in common, and
   n behind one line. perf/baselines/rectifier.c is the same circuit by hand. */
package Rectifiers

    connector Pin
    interface:
        static potential Real u;
        static flow Real i;
    end Pin;

    partial model TwoPins
    interface:
        static Pin p;
        static Pin n;
    implementation:
        static Real u;
        u = p.u - n.u;
        p.i + n.i = 0;
    end TwoPins;

    model Ground
    interface:
        static Pin p;
    implementation:
        p.u = 0;
    end Ground;

    model Source
        extends TwoPins;
    implementation:
        u = sin(2*3.141592653589793*50*time);
    end Source;

    model Resistor
        extends TwoPins;
    interface:
        parameter Real R;
    implementation:
        u = R*p.i;
    end Resistor;

    model Capacitor
        extends TwoPins;
    interface:
        parameter Real C;
        static Real uC;
    implementation:
        u = uC;
        p.i = C*der(x = uC, start << 0);
    end Capacitor;

    model Inductor
        extends TwoPins;
    interface:
        parameter Real L;
    implementation:
        u = L*der(x = p.i, start << 0);
    end Inductor;

    model Diode
        extends TwoPins;
    interface:
        static Boolean closed;
    implementation:
        if closed then
            u = 0;
        else then
            p.i = 0;
        end if;
        if initial() then
            closed << false;
        else then
            when p.i < 0 then
                closed << false;
            else when u > 0 then
                closed << true;
            end when;
        end if;
    end Diode;

    /* From its pin through L, R1 and the diode into C with the load R2. */
    model Branch
    interface:
        parameter Real C << 0.001;
        static Pin p;
        static Real uC;
    implementation:
        static Ground G;
        static Inductor L{L << 0.2};
        static Resistor R1{R << 10};
        static Diode D;
        static Capacitor store{C << C};
        static Resistor R2{R << 50};
        connection{a << p, b << L.p};
        connection{a << L.n, b << R1.p};
        connection{a << R1.n, b << D.p};
        connection{a << D.n, b << store.p};
        connection{a << D.n, b << R2.p};
        connection{a << G.p, b << store.n};
        connection{a << G.p, b << R2.n};
        uC = store.uC;
    end Branch;

    model Circuit
    interface:
        parameter Real C << 0.001;
        static Real uC;
    implementation:
        static Ground G;
        static Source U;
        static Branch B{C << C};
        connection{a << G.p, b << U.n};
        connection{a << U.p, b << B.p};
        uC = B.uC;
    end Circuit;

    /* Circuits first ... first + n - 1 of all: halves of halves, so that paths stay short. */
    model Some
    interface:
        parameter Integer first;
        parameter Integer n;
        parameter Integer all;
        static Real sum;
    implementation:
        if n > 1 then
            static Some left{first << first, n << floor(n/2), all << all};
            static Some right{first << first + floor(n/2), n << n - floor(n/2), all << all};
            sum = left.sum + right.sum;
        else then
            static Circuit c{C << 0.001*(1 + first/all)};
            sum = c.uC;
        end if;
    end Some;

    /* n circuits with slightly different capacitors, nothing in common; n diodes. */
    model Array
    interface:
        parameter Integer n << 10;
        static Real sum;
    implementation:
        static Some circuits{first << 0, n << n, all << n};
        sum = circuits.sum;
    end Array;

    /* Branches first ... first + n - 1 of all, at one pin. */
    model Bundle
    interface:
        parameter Integer first;
        parameter Integer n;
        parameter Integer all;
        static Pin p;
        static Real sum;
    implementation:
        if n > 1 then
            static Bundle left{first << first, n << floor(n/2), all << all};
            static Bundle right{first << first + floor(n/2), n << n - floor(n/2), all << all};
            connection{a << p, b << left.p};
            connection{a << p, b << right.p};
            sum = left.sum + right.sum;
        else then
            static Branch B{C << 0.001*(1 + first/all)};
            connection{a << p, b << B.p};
            sum = B.uC;
        end if;
    end Bundle;

    /* n branches behind one source with a resistance of 1/n: each diode feels all others. */
    model Coupled
    interface:
        parameter Integer n << 10;
        static Real sum;
    implementation:
        static Ground G;
        static Source U;
        static Resistor R0{R << 1/n};
        static Bundle branches{first << 0, n << n, all << n};
        connection{a << G.p, b << U.n};
        connection{a << U.p, b << R0.p};
        connection{a << R0.n, b << branches.p};
        sum = branches.sum;
    end Coupled;

    model One
    interface:
        static Circuit c;
    end One;
end Rectifiers;
