/* Uses of components that no example of the library has. */
package Extra

    /* Sources and a block that read the file beside this one. */
    model Tables
    interface:
        static Electric.Sources.TableVoltage voltage{file << "ramp.txt", column << 2};
        static Electric.Sources.TableCurrent current{file << "ramp.txt", column << 3};
        static Electric.Basic.Resistor R1{R << 1};
        static Electric.Basic.Resistor R2{R << 1};
        static Blocks.Table block{file << "ramp.txt"};
    implementation:
        static Electric.Sources.Ground G;
        block.u = 0.5*time;
        connection{a << voltage.p, b << R1.p};
        connection{a << voltage.n, b << G.p};
        connection{a << R1.n, b << G.p};
        connection{a << current.n, b << R2.p};
        connection{a << current.p, b << G.p};
        connection{a << R2.n, b << G.p};
    end Tables;

    /* Wrong on purpose: a pin that nothing is connected to. */
    model OpenPin
    implementation:
        static Electric.Sources.ConstantVoltage source;
        static Electric.Basic.Resistor R;
        static Electric.Sources.Ground G;
        connection{a << source.p, b << R.p};
        connection{a << source.n, b << G.p};
    end OpenPin;

    /* Wrong on purpose: two grounds in one circuit. */
    model TwoGrounds
    implementation:
        static Electric.Sources.ConstantVoltage source;
        static Electric.Basic.Resistor R;
        static Electric.Sources.Ground G1;
        static Electric.Sources.Ground G2;
        connection{a << source.p, b << R.p};
        connection{a << source.n, b << G1.p};
        connection{a << R.n, b << G1.p};
        connection{a << G1.p, b << G2.p};
    end TwoGrounds;

    /* Wrong on purpose: no ground at all. */
    model NoGround
    implementation:
        static Electric.Sources.ConstantVoltage source;
        static Electric.Basic.Resistor R;
        connection{a << source.p, b << R.p};
        connection{a << source.n, b << R.n};
    end NoGround;
end Extra;
