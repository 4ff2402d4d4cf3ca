/* Life forms that divide, adapt and die in one tank (Zimmer 2010, section 11.5). As Population of the
   library, with the width of the draw as a parameter: with `spread` 0 nothing is random, and the
   run can be compared with perf/baselines/population.c point by point. */
package Colony

    connector Feeding
    interface:
        static potential Real Nc;
        static potential Real Pc;
        static flow Real f;
    end Feeding;

    model Tank
        extends Feeding;
    interface:
        parameter Real V;
    implementation:
        der(x = Nc, start << 0.2) = f/V;
        der(x = Pc, start << 0) = -f/V;
    end Tank;

    model LifeForm
        extends Feeding;
        define s as 0.02;
        define NE as 100.0;
        define M as 0.005;
    interface:
        parameter Real r;
        parameter Real spread;
        static Real E;
        static Integer living;
        static Real sumOfR;
    implementation:
        static Boolean divided;
        static Boolean dead;
        static Real child;
        static Real poison;
        poison = 0.5 + NE*r^2;
        child << (0.9 + random(x = spread))*r;
        if dead then
            E = 0;
            f = 0;
            living << 0;
            sumOfR << 0;
        else if divided then
            static LifeForm one{r << r, spread << spread};
            static LifeForm other{r << child, spread << spread};
            one.Nc = Nc;
            one.Pc = Pc;
            other.Nc = Nc;
            other.Pc = Pc;
            f = one.f + other.f;
            E = one.E + other.E;
            living << one.living + other.living;
            sumOfR << one.sumOfR + other.sumOfR;
        else then
            f = s*r*Nc;
            der(x = E, start << 1) = NE*f - M - poison*Pc^2;
            living << 1;
            sumOfR << r;
        end if;
        when E >= 2 and not divided then
            divided << true;
        end when;
        when E < 0.5 then
            dead << true;
        end when;
    end LifeForm;

    model Run
    interface:
        parameter Real V << 100;
        parameter Real spread << 0.2;
        static Tank tank{V << V};
        static LifeForm root{r << 0.1, spread << spread};
    implementation:
        connection{a << tank, b << root};
    end Run;
end Colony;
