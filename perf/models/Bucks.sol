/* Buck converters: 24 V, 0.1 mH, 0.1 mF, 10 Ohm, 10 kHz, closed for half of each period. The current falls to zero in
   each period, so there are three events in it: two by the clock, one located. One, n without anything in common, and n
   behind one line; with ideal switches, and with those of the library. perf/baselines/buck.c is the same by hand. */
package Bucks

    /* Its switches are ideal: closed the coil has U - u, with the diode -u, and with neither no current.
       phase: of a period, by which it is ahead. */
    model Flat
    interface:
        parameter Real phase << 0;
        static Real U;
        static Real u;
        static Real i;
        static Real drawn;
    implementation:
        static Boolean on;
        static Boolean carries;
        static Real uL;
        on << mod(10000*time + phase, 1) < 0.5;
        uL = 1e-4*der(x = i, start << 0);
        i = 1e-4*der(x = u, start << 0) + u/10;
        if on then
            uL = U - u;
            drawn = i;
        else then
            drawn = 0;
            if carries then
                uL = -u;
            else then
                i = 0;
            end if;
        end if;
        when on then
            carries << true;
        else when i < 0 then
            carries << false;
        end when;
    end Flat;

    /* The switches of the library as equations: R_on = 1e-3, G_off = 1e-6. */
    model FlatResistive
    interface:
        parameter Real phase << 0;
        static Real U;
        static Real u;
        static Real i;
        static Real drawn;
    implementation:
        static Boolean on;
        static Boolean carries;
        static Real uS;
        static Real uD;
        static Real iD;
        on << mod(10000*time + phase, 1) < 0.5;
        i = 1e-4*der(x = u, start << 0) + u/10;
        -uD = 1e-4*der(x = i, start << 0) + u;
        uS = U + uD;
        drawn + iD = i;
        if on then
            uS = 1e-3*drawn;
        else then
            drawn = 1e-6*uS;
        end if;
        if carries then
            uD = 1e-3*iD;
        else then
            iD = 1e-6*uD;
        end if;
        when carries and iD < 0 then
            carries << false;
        else when not carries and uD > 0 then
            carries << true;
        end when;
    end FlatResistive;

    /* Of components, at a pin that feeds it. */
    model Built
    interface:
        parameter Real phase << 0;
        static Electric.Interfaces.Pin p;
        static Real u;
    implementation:
        static Electric.Sources.Ground G;
        static Electric.Switches.ResistiveSwitch S;
        static Electric.Switches.ResistiveDiode D;
        static Electric.Basic.Inductor L{L << 1e-4};
        static Electric.Basic.Capacitor C{C << 1e-4};
        static Electric.Basic.Resistor load{R << 10};
        S.command << mod(10000*time + phase, 1) < 0.5;
        connection{a << p, b << S.p};
        connection{a << S.n, b << L.p};
        connection{a << L.p, b << D.n};
        connection{a << L.n, b << C.p};
        connection{a << C.p, b << load.p};
        connection{a << D.p, b << G.p};
        connection{a << C.n, b << G.p};
        connection{a << load.n, b << G.p};
        u = C.u;
    end Built;

    model Alone
    interface:
        parameter Real phase << 0;
        static Real u;
    implementation:
        static Electric.Sources.Ground G;
        static Electric.Sources.ConstantVoltage source{U << 24};
        static Built b{phase << phase};
        connection{a << source.p, b << b.p};
        connection{a << source.n, b << G.p};
        u = b.u;
    end Alone;

    /* first ... first + n - 1 of all, shifted against each other by a part of the period. */
    model SomeIdeal
    interface:
        parameter Integer first;
        parameter Integer n;
        parameter Integer all;
        static Real sum;
    implementation:
        if n > 1 then
            static SomeIdeal left{first << first, n << floor(n/2), all << all};
            static SomeIdeal right{first << first + floor(n/2), n << n - floor(n/2), all << all};
            sum = left.sum + right.sum;
        else then
            static Flat b{phase << first/(2*all)};
            b.U = 24;
            sum = b.u;
        end if;
    end SomeIdeal;

    /* The same. */
    model SomeResistive
    interface:
        parameter Integer first;
        parameter Integer n;
        parameter Integer all;
        static Real sum;
    implementation:
        if n > 1 then
            static SomeResistive left{first << first, n << floor(n/2), all << all};
            static SomeResistive right{first << first + floor(n/2), n << n - floor(n/2), all << all};
            sum = left.sum + right.sum;
        else then
            static FlatResistive b{phase << first/(2*all)};
            b.U = 24;
            sum = b.u;
        end if;
    end SomeResistive;

    /* The same. */
    model SomeBuilt
    interface:
        parameter Integer first;
        parameter Integer n;
        parameter Integer all;
        static Real sum;
    implementation:
        if n > 1 then
            static SomeBuilt left{first << first, n << floor(n/2), all << all};
            static SomeBuilt right{first << first + floor(n/2), n << n - floor(n/2), all << all};
            sum = left.sum + right.sum;
        else then
            static Alone b{phase << first/(2*all)};
            sum = b.u;
        end if;
    end SomeBuilt;

    model IdealArray
    interface:
        parameter Integer n << 1;
        static Real sum;
    implementation:
        static SomeIdeal all{first << 0, n << n, all << n};
        sum = all.sum;
    end IdealArray;

    model ResistiveArray
    interface:
        parameter Integer n << 1;
        static Real sum;
    implementation:
        static SomeResistive all{first << 0, n << n, all << n};
        sum = all.sum;
    end ResistiveArray;

    model BuiltArray
    interface:
        parameter Integer n << 1;
        static Real sum;
    implementation:
        static SomeBuilt all{first << 0, n << n, all << n};
        sum = all.sum;
    end BuiltArray;

    /* Behind one line, whose capacitor all of them feel: 0.01 Ohm and 1 mF for each. */
    model BundleIdeal
    interface:
        parameter Integer first;
        parameter Integer n;
        parameter Integer all;
        static Real U;
        static Real sum;
        static Real drawn;
    implementation:
        if n > 1 then
            static BundleIdeal left{first << first, n << floor(n/2), all << all};
            static BundleIdeal right{first << first + floor(n/2), n << n - floor(n/2), all << all};
            left.U = U;
            right.U = U;
            drawn = left.drawn + right.drawn;
            sum = left.sum + right.sum;
        else then
            static Flat b{phase << first/(2*all)};
            b.U = U;
            drawn = b.drawn;
            sum = b.u;
        end if;
    end BundleIdeal;

    model BundleResistive
    interface:
        parameter Integer first;
        parameter Integer n;
        parameter Integer all;
        static Real U;
        static Real sum;
        static Real drawn;
    implementation:
        if n > 1 then
            static BundleResistive left{first << first, n << floor(n/2), all << all};
            static BundleResistive right{first << first + floor(n/2), n << n - floor(n/2), all << all};
            left.U = U;
            right.U = U;
            drawn = left.drawn + right.drawn;
            sum = left.sum + right.sum;
        else then
            static FlatResistive b{phase << first/(2*all)};
            b.U = U;
            drawn = b.drawn;
            sum = b.u;
        end if;
    end BundleResistive;

    model BundleBuilt
    interface:
        parameter Integer first;
        parameter Integer n;
        parameter Integer all;
        static Electric.Interfaces.Pin p;
        static Real sum;
    implementation:
        if n > 1 then
            static BundleBuilt left{first << first, n << floor(n/2), all << all};
            static BundleBuilt right{first << first + floor(n/2), n << n - floor(n/2), all << all};
            connection{a << p, b << left.p};
            connection{a << p, b << right.p};
            sum = left.sum + right.sum;
        else then
            static Built b{phase << first/(2*all)};
            connection{a << p, b << b.p};
            sum = b.u;
        end if;
    end BundleBuilt;

    model IdealCoupled
    interface:
        parameter Integer n << 1;
        static Real sum;
    implementation:
        static Real U;
        static BundleIdeal all{first << 0, n << n, all << n};
        (24 - U)*n/0.01 = all.drawn + 1e-3*n*der(x = U, start << 24);
        all.U = U;
        sum = all.sum;
    end IdealCoupled;

    model ResistiveCoupled
    interface:
        parameter Integer n << 1;
        static Real sum;
    implementation:
        static Real U;
        static BundleResistive all{first << 0, n << n, all << n};
        (24 - U)*n/0.01 = all.drawn + 1e-3*n*der(x = U, start << 24);
        all.U = U;
        sum = all.sum;
    end ResistiveCoupled;

    model BuiltCoupled
    interface:
        parameter Integer n << 1;
        static Real sum;
    implementation:
        static Electric.Sources.Ground G;
        static Electric.Sources.ConstantVoltage source{U << 24};
        static Electric.Basic.Resistor line{R << 0.01/n};
        static Electric.Basic.Capacitor store{C << 1e-3*n, u_start << 24};
        static BundleBuilt all{first << 0, n << n, all << n};
        connection{a << source.n, b << G.p};
        connection{a << source.p, b << line.p};
        connection{a << line.n, b << store.p};
        connection{a << store.n, b << G.p};
        connection{a << store.p, b << all.p};
        sum = all.sum;
    end BuiltCoupled;
end Bucks;
