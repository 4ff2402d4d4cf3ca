/* Circuits that are singular in some of their modes. */
package Singular

    /* No ground before time 0.5 and after 0.8; two capacitors side by side between 0.3 and 0.6. */
    model Island
    interface:
        static Electric.Sources.SineVoltage V{U << 10, f << 1};
        static Electric.Basic.Resistor R1{R << 1};
        static Electric.Basic.Resistor R2{R << 1};
        static Electric.Basic.Capacitor C1{C << 1};
        static Electric.Basic.Capacitor C2{C << 1};
        static Electric.Basic.Resistor R3{R << 1};
        static Electric.Switches.Switch S;
        static Electric.Switches.Switch E;
        static Electric.Sources.Ground G;
    implementation:
        connection{a << V.p, b << R1.p};
        connection{a << V.p, b << R2.p};
        connection{a << R1.n, b << C1.p};
        connection{a << R2.n, b << C2.p};
        connection{a << C1.n, b << C2.n};
        connection{a << C1.n, b << R3.p};
        connection{a << R3.n, b << V.n};
        connection{a << R1.n, b << S.p};
        connection{a << R2.n, b << S.n};
        connection{a << V.n, b << E.p};
        connection{a << G.p, b << E.n};
        S.command << time >= 0.3 and time < 0.6;
        E.command << time >= 0.5 and time < 0.8;
    end Island;
end Singular;
