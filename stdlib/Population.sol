/* Population: life forms that eat, divide, adapt and die in a closed tank.

   A tank offers nutrition and takes up what the eaters leave behind. Every life form has a store of
   energy. It grows by what is eaten, shrinks by the cost of living and by the poison in the tank; a
   full store makes the life form divide, an empty one kills it. Children differ a little from their
   parents: a greedy one grows fast, a frugal one stands more poison. So in the beginning greed
   spreads, and at the end only thrift survives for a while. Energy is counted in stores of a new
   life form, concentrations as parts of 1, volume in litres, f is nutrition per time into the
   component. Zimmer 2010, section 11.5. */
package Population

    /* What tank and life form share: nutrition Nc, pollution Pc, flow of nutrition f. */
    connector Feeding
    interface:
        static potential Real Nc;
        static potential Real Pc;
        static flow Real f {unit << "l/s"};
    end Feeding;

    /* V*dNc/dt = f, V*dPc/dt = -f: what is eaten leaves as poison. V [l]. */
    model Tank
        extends Feeding;
    interface:
        parameter Real V {unit << "l"} << 1;
        parameter Real Nc_start << 0.2;
        parameter Real Pc_start << 0;
    implementation:
        assert(condition = V > 0, message = "the volume V must be positive");
        assert(condition = Nc_start >= 0 and Pc_start >= 0,
               message = "concentrations must not be negative");
        der(x = Nc, start << Nc_start) = f/V;
        der(x = Pc, start << Pc_start) = -f/V;
    end Tank;

    /* A life form that neither divides nor dies. It eats f = Nc*s*r (reach s, absorbance r), and
       its energy follows dE/dt = f*NE - M - Pc^2*(0.5 + r^2*NE): gain NE per nutrition, cost of
       living M. */
    model Hermit
        extends Feeding;
    interface:
        parameter Real s {unit << "l/s"} << 0.02;
        parameter Real r << 0.1;
        parameter Real NE << 100;
        parameter Real M {unit << "1/s"} << 0.005;
        static Real E;
    implementation:
        assert(condition = r > 0 and s > 0, message = "absorbance r and reach s must be positive");
        f = Nc*s*r;
        der(x = E, start << 1) = f*NE - M - Pc^2*(0.5 + r^2*NE);
    end Hermit;

    /* The same with a life: at E = 2 it becomes two life forms with E = 1, one like itself, the
       other with an absorbance up to 10 percent higher or lower; below E = 0.5 it dies. A divided
       one stands for all its descendants: E, f, alive (their number) and greed (the sum of their r)
       are sums over them, and when the last of them has died, it dies too, and all their instances
       are gone. */
    model LifeForm
        extends Feeding;
        define s as 0.02;
        define NE as 100.0;
        define M as 0.005;
    interface:
        parameter Real r;
        static Real E;
        static Integer alive;
        static Real greed;
    implementation:
        assert(condition = r > 0, message = "the absorbance r must be positive");
        static Boolean divided;
        static Boolean dead;
        static Real mutation;
        mutation << (0.9 + random(x = 0.2))*r;
        if dead then
            E = 0;
            f = 0;
            alive << 0;
            greed << 0;
        else if divided then
            static LifeForm first{r << r};
            static LifeForm second{r << mutation};
            first.Nc = Nc;
            first.Pc = Pc;
            second.Nc = Nc;
            second.Pc = Pc;
            f = first.f + second.f;
            E = first.E + second.E;
            alive << first.alive + second.alive;
            greed << first.greed + second.greed;
        else then
            f = Nc*s*r;
            der(x = E, start << 1) = f*NE - M - Pc^2*(0.5 + r^2*NE);
            alive << 1;
            greed << r;
        end if;
        when E >= 2 and not divided then
            divided << true;
        end when;
        when E < 0.5 then
            dead << true;
        end when;
    end LifeForm;

    package Examples

        /* One hermit in one litre. */
        model Alone
        interface:
            static Tank tank{V << 1};
            static Hermit life;
        implementation:
            connection{a << tank, b << life};
        end Alone;

        /* One life form in V litres, and what becomes of it. absorbance is the mean over those that
           live, 0 without any. In 1000 litres some 4300 live at a time. */
        model Colony
        interface:
            parameter Real V {unit << "l"} << 1000;
            parameter Real r << 0.1;
            static Real absorbance;
            static Tank tank{V << V};
            static LifeForm root{r << r};
        implementation:
            connection{a << tank, b << root};
            if root.alive > 0 then
                absorbance << root.greed/root.alive;
            else then
                absorbance << 0;
            end if;
        end Colony;

        /* The same without recursion: hermits in a dynamic array, which the tank feeds, and which divide and die by
           what stands here. */
        model Culture
        interface:
            parameter Real V {unit << "l"} << 1000;
            parameter Real r << 0.1;
            static Real absorbance;
            static Tank tank{V << V};
            dynamic Hermit lives[];
        implementation:
            when initial() then lives <- Hermit{r << r}; end when;
            for c in lives then
                static Real mutation;
                mutation << (0.9 + random(x = 0.2))*c.r;
                c.Nc = tank.Nc;
                c.Pc = tank.Pc;
                when c.E >= 2 then
                    lives <- Hermit{r << c.r};
                    lives <- Hermit{r << mutation};
                    trash <- c;
                else when c.E < 0.5 then
                    trash <- c;
                end when;
            end for;
            tank.f + sum(c.f for c in lives) = 0;
            absorbance << sum(c.r for c in lives)/max(size(lives), 1);
        end Culture;
    end Examples;
end Population;
