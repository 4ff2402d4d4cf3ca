/* The rules of updates, U1 to U6, one small model for each thing they say (docs/language.md, sections 7 and 8). */
package Updates

    model Part
    interface:
        static Integer n;
    implementation:
        n << 7;
    end Part;

    /* U1: the divisor is 0 in the update that ends the branch. */
    model SafeDivision
    interface:
        static Integer left;
        static Real share;
        static Real root;
    implementation:
        if initial() then
            left << 3;
        else then
            when Sample(interval = 1) then
                left << pre(left) - 1;
            end when;
        end if;
        if left > 0 then
            share << 12/left;
        end if;
        if left > 0 then
            root = sqrt(left - 0.5);
        else then
            root = -1;
        end if;
    end SafeDivision;

    /* U1: the same by a crossing; the branches are left where their functions end. */
    model SafeRoot
    interface:
        static Real x;
        static Real w;
        static Real y;
        static Real z;
    implementation:
        x = cos(time) - 0.5;
        if x > 0 then
            y << sqrt(x);
        end if;
        der(x = w, start << 1) = -2*time;
        if w > 0 then
            z << log(w);
        end if;
    end SafeRoot;

    /* U1: `seen` follows x while the branch is there, looked at or not, and keeps what it was at 1. */
    model LeftLimit
    interface:
        static Integer mode;
        static Real seen;
        static Real y;
    implementation:
        static Real x;
        der(x = x, start << 0) = 3;
        if mode == 0 then
            seen << 2*x;
            y = 0;
        else then
            der(x = y, start << seen) = 1;
        end if;
        when x > 3 then
            mode << 1;
        end when;
    end LeftLimit;

    /* U1, exempt: what a `when` that acts needs is computed in the branch that goes. `taken` is 2*5*3, by the
       amount of the same update. */
    model LastWord
    interface:
        static Integer mode;
        static Real force;
        static Real taken;
    implementation:
        static Real amount;
        static Real product;
        when time >= 1 then
            mode << 1;
            amount << 3;
            taken << 2*product;
        end when;
        if mode == 0 then
            force = 5;
            product = force*amount;
        else then
            force = 7;
            product = 0;
        end if;
    end LastWord;

    /* U2: there is no update with the new mode and a force above 2. */
    model OneStructure
    interface:
        static Integer mode;
        static Integer fired;
        static Integer slow;
        static Real force;
    implementation:
        static Real twice;
        if mode == 0 then
            force = 5;
        else then
            force = 1;
        end if;
        twice = 2*force;
        when time >= 1 then
            mode << 1;
        end when;
        when mode == 1 and force > 2 then
            fired << pre(fired) + 1;
        end when;
        when mode == 1 and twice > 4 then
            fired << pre(fired) + 100;
        end when;
        when mode == 1 and twice < 4 then
            slow << pre(slow) + 1;
        end when;
    end OneStructure;

    /* U2: at 1 the level is of a branch that goes, so the conditions are decided in the next update; the Sample is
       over then, but stays true for them. */
    model LateSample
    interface:
        static Integer seen;
    implementation:
        static Real level;
        if time < 1 then
            level = 1;
        else then
            level = 3;
        end if;
        when Sample(interval = 1) and level < 2 then
            seen << pre(seen) + 10;
        end when;
        when Sample(interval = 1) and level > 2 then
            seen << pre(seen) + 1;
        end when;
    end LateSample;

    /* U3: m is 1 from the first update on, so mode is never 0. */
    model Birth
    interface:
        static Integer mode;
        static Integer count;
        static Boolean there;
    implementation:
        dynamic Part p;
        static Integer m;
        if time < 2 then
            m << 1;
        else then
            m << 2;
        end if;
        mode << m;
        if mode == 0 then
            p <- Part{};
        end if;
        when mode == 0 then
            count << 99;
        end when;
        there << p?;
    end Birth;

    /* U3: a chain of births, each of which waits for the one before, written backwards. */
    model Chain
    interface:
        static Integer a;
        static Integer b;
        static Integer c;
        static Integer wrong;
    implementation:
        if c == 0 then
            wrong << 1;
        end if;
        if b == 2 then
            c << 3;
        end if;
        if a == 1 then
            b << 2;
        end if;
        if initial() then
            a << 1;
        end if;
    end Chain;

    /* U3: they wait for each other only, and for nobody else; `late` waits for them. */
    model Circle
    interface:
        static Boolean a;
        static Boolean b;
        static Integer late;
    implementation:
        if b then
            a << true;
        end if;
        if a then
            b << true;
        else then
            static Integer unused;
            unused << 1;
        end if;
        if not a and not b then
            late << 1;
        end if;
    end Circle;

    /* U3: parameters of what is born see what transmissions determine. */
    model Scaled
    interface:
        parameter Real k;
        static Real y;
    implementation:
        y = 2*k;
    end Scaled;

    model Parameters
    interface:
        static Real y;
    implementation:
        static Real a;
        static Scaled s{k << a + 1};
        a << 20;
        y = s.y;
    end Parameters;

    /* U4: n is 5 in the first update, 6 in the second. */
    model Initial
    interface:
        static Integer n;
        static Integer before;
        static Integer after;
    implementation:
        static Real x;
        x = 1 + time;
        if initial() then
            n << 5;
        else then
            after << 1;
        end if;
        when x > 0.5 then
            n << 6;
            before << pre(n);
        end when;
    end Initial;

    /* U5: u is positive all the time. */
    model ElseWhen
    interface:
        static Integer a;
        static Integer b;
    implementation:
        static Real u;
        u = 5;
        when time >= 1 then
            a << pre(a) + 1;
        else when u > 0 then
            b << pre(b) + 1;
        end when;
    end ElseWhen;

    /* U5: both at 1; the outer one rules. At 2 the pulse itself makes the inner one true. */
    model Higher
    interface:
        static Integer outer;
        static Integer inner;
        static Integer mode;
    implementation:
        when time >= 1 and time < 2 or mode == 9 then
            outer << pre(outer) + 1;
        else when time >= 1 then
            inner << pre(inner) + 1;
        end when;
        when time >= 2 then
            mode << 1;
        else when mode == 1 then
            inner << pre(inner) + 10;
        end when;
    end Higher;

    /* U5: what is declared in the else branch is there again as it was: a counter, a draw, a state, a part. */
    model Memory
    interface:
        static Integer kept;
        static Real drawn;
        static Real x;
    implementation:
        when Sample(interval = 0.4) then
            static Integer unused;
            unused << 1;
        else then
            static Integer count;
            static Real r;
            dynamic Part p;
            if initial() then
                p <- Part{};
            end if;
            r << random(x = 1);
            when time >= 0.5 then
                count << pre(count) + 1;
            end when;
            der(x = x, start << 2) = 1;
            kept << count;
            drawn << r;
        end when;
    end Memory;

    /* U5: the speed behind the impact is transmitted in the pulse, so the start that reads it counts again;
       that of h does not. */
    model Ball
    interface:
        static Real h;
        static Real v;
        static Integer bounces;
    implementation:
        static Real after;
        v = der(x = h, start << 1);
        when h < 0 then
            after << -0.5*pre(v);
            bounces << pre(bounces) + 1;
        else then
            der(x = v, start << after) = -9.81;
        end when;
    end Ball;

    /* A transmission of a `when` reads the last value of what is not determined in the pulse. */
    model Impact
    interface:
        static Real h;
        static Real v;
        static Real seen;
    implementation:
        v = der(x = h, start << 1);
        when h < 0 then
            seen << v;
        else then
            der(x = v, start << 0) = -9.81;
        end when;
    end Impact;

    /* U6: `limit` leaves 0 at time 2; of the chain, the second branch is the first whose condition holds then. */
    model TieInChain
    interface:
        static Real limit;
        static Real v;
        static Integer k;
    implementation:
        if time < 2 then
            limit = 0;
        else then
            limit = time - 2;
        end if;
        v = -1 - time;
        when limit > 5 then
            k << 1;
        else when limit > 0 and v < -1e-10 then
            k << -1;
        else when limit > 0 and k == 0 then
            k << 5;
        end when;
    end TieInChain;

    /* U6: the same in `if`s: each place where the comparison stands sees it leave. */
    model TieInIfs
    interface:
        static Real limit;
        static Integer a;
        static Integer b;
    implementation:
        static Real v;
        if time < 2 then
            limit = 0;
        else then
            limit = 2 - time;
        end if;
        v = -1 - time;
        if limit > 5 then
            a << 9;
        else if limit < 0 and v < 0 then
            a << 1;
        else then
            a << 2;
        end if;
        if limit >= 0 or v > 0 then
            b << 1;
        else then
            b << 2;
        end if;
    end TieInIfs;


// What a `when` determines from the time changes a slope: x is 2.36 at time 1, whoever evaluates it.
model SampledSlope
implementation:
    static Real k;
    static Real x;
    static Real y;
    static Real z;
    static Real w;
    when Sample(interval = 0.3) then
        k << time;
    end when;
    der(x = x, start << 0) = 2 + k;
    der(x = y, start << 0) = sin(6*time) - y - w;
    der(x = z, start << 0) = x - z + w;
    if x > 0.2 then
        w = 0.2*y;
    else then
        y = z;
    end if;
    when x > 3 then
        cout << x;
    end when;
end SampledSlope;


// y is positive at first and no more from 0.83 on: nothing fires at 1, where the branch that y came from is left.
model Undecided
implementation:
    static Real x;
    static Real u;
    static Real y;
    static Integer fired;
    der(x = x, start << 0) = 1;
    u = 0.5 - 0.6*x;
    if time < 1 then
        y = u;
    else then
        y = -1 + 0*x;
    end if;
    when y > 0 then
        fired << pre(fired) + 1;
    end when;
end Undecided;


// Outputs that nobody looks at, and what is born late in an update: `pre` and parameters are those of the update before,
// where n was smaller by one.
model LateBirth
implementation:
    static Real x;
    static Real z;
    static Real p;
    static Real q;
    static Real s;
    static Integer n;
    static Real seen;
    static Real solved;
    static Real given;
    der(x = s, start << 0) = 1;
    x = n + 10*s;
    z = 2*x;
    p + q = x;
    p - 2*q = 1;
    when Sample(interval = 0.5) then
        n << pre(n) + 1;
        if n > 0 then
            static Scaled part{k << z};
            seen << pre(z);
            solved << pre(p);
            given << part.y;
        end if;
    end when;
end LateBirth;

// y is left alone in the update in which `add` changes, and nobody looked at it since n did.
model LeftUnseen
implementation:
    static Real s;
    static Integer n;
    static Integer add;
    static Integer over;
    static Real y;
    static Real twice;
    static Real seen;
    der(x = s, start << 0) = 1;
    when s >= 1 then
        n << 1;
    end when;
    when n > 0 then
        add << 5;
        over << add;
    end when;
    if over > 0 then
        y = -1;
    else then
        y = n + add + 10*s;
    end if;
    twice = 2*y;
    when over > 0 then
        if twice < 0 then
            seen << pre(twice);
        end if;
    end when;
end LeftUnseen;

end Updates;
