/* What the first update of an instance or branch must do right. */
package Births

    /* The branch of `if mode == 0` would overrule a start value; mode is 2 from the first update on,
       though its default is 0. */
    model InitialFirst
    interface:
        static Real w1;
        static Real w2;
        static Integer mode;
    implementation:
        static Real p1;
        static Real p2;
        static Real f;
        w1 = der(x = p1, start << 0);
        w2 = der(x = p2, start << 0);
        der(x = w1, start << 10) = f;
        der(x = w2, start << 0) = -f;
        if mode == 0 then
            p1 = p2;
        else then
            f = 0;
        end if;
        if initial() then
            mode << 2;
        end if;
    end InitialFirst;

    /* The start value of `angle`, which is no state, is the first guess of cos(angle) = x. */
    model GuessFirst
    interface:
        static Real x;
        static Real y;
    implementation:
        static Boolean on;
        static Real A;
        der(x = x, start << 0.6) = 0;
        A << -0.9272952180016122;
        if on then
            static Real angle;
            static Real w;
            x = cos(angle);
            y = sin(angle);
            w = der(x = angle, start << A);
        else then
            y = -0.8;
        end if;
        when time > 0.5 then
            on << true;
        end when;
    end GuessFirst;

    /* When the second `when` fires, the inner `if` dies in the update in which the last `when` is born
       again: its decision must not become that of the newborn. */
    model Reborn
    interface:
        static Boolean sticking;
        static Integer direction;
    implementation:
        static Real q;
        static Real v;
        static Real a;
        static Real f;
        static Real hold;
        v = der(x = q, start << 0);
        a = der(x = v, start << 0);
        0.1*a = 10*(time - q) - f;
        if sticking then
            q = hold;
        else if direction == 0 then
            f = 0;
        else then
            f = direction;
        end if;
        when not sticking and direction == 0 then
            sticking << true;
            hold << q;
        else when direction*v < 0 and direction*a <= 0 then
            sticking << true;
            direction << 0;
            hold << q;
        else when sticking and f > 1.5 then
            sticking << false;
            direction << 1;
        end when;
    end Reborn;
end Births;
