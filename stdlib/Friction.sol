/* Friction: state machines of contact in one coordinate, shared by Rotational and Translational.

   Each model has a relative coordinate q, its rate v and an effort f: f*v is the power that
   the contact takes up. For rotation q is an angle [rad] and f a torque [N.m], for translation q is
   a distance [m] and f a force [N]: so the models here have no units of their own, those of Angular and Linear have. Who
   uses such a model gives q and takes f.

   Modes change by `when`, the equations by `if`: while a contact holds, q is constant, which takes
   two states out of the system; while it slides or is open, f is given.

   A rate that crosses zero is only counted if the acceleration goes the same way. So a contact
   that has just begun to slide does not stick again because of a rounding error in v. An impact
   elsewhere (a stop) may change a rate at once: beyond v_small it counts in any case. */
package Friction

    /* Dry friction. mode 2: open, f = 0. mode 1 and -1: sliding, f = mode*limit. mode 0: sticking,
       q constant, f is what holds it. It begins to slide where |f| exceeds peak*limit (peak >= 1),
       sticks where v passes zero, turns where an impact turns v, and is open while limit <= 0. Every contact is born open
       and finds its mode in the following update, so that no start value is overruled. */
    model Dry
    interface:
        parameter Real peak << 1;
        parameter Real v_small << 1e-10;
        static Real q;
        static Real v;
        static Real f;
        static Real limit;
        static Integer mode;
    implementation:
        static Boolean sticking;
        static Integer direction;
        static Real a;
        static Real hold;
        v = der(x = q);
        a = der(x = v);
        if sticking then "sticks"
            q = hold;
        else then "slides"
            f = direction*limit;
        end if;
        if initial() then
            mode << 2;
        else then
            when (sticking or direction <> 0) and limit <= 0 then
                sticking << false;
                direction << 0;
                mode << 2;
            else when not sticking and direction == 0 and limit > 0 and v > v_small then
                direction << 1;
                mode << 1;
            else when not sticking and direction == 0 and limit > 0 and v < -v_small then
                direction << -1;
                mode << -1;
            else when not sticking and direction == 0 and limit > 0 then
                sticking << true;
                hold << q;
                mode << 0;
            else when direction > 0 and v < -v_small then
                direction << -1;
                mode << -1;
            else when direction < 0 and v > v_small then
                direction << 1;
                mode << 1;
            else when direction*v < 0 and direction*a <= 0 then
                sticking << true;
                direction << 0;
                hold << q;
                mode << 0;
            else when sticking and f > peak*limit then
                sticking << false;
                direction << 1;
                mode << 1;
            else when sticking and f < -peak*limit then
                sticking << false;
                direction << -1;
                mode << -1;
            end when;
        end if;
    end Dry;

    /* Freewheel: v > 0 runs free (f = 0), v < 0 is blocked (q constant, f < 0). Where an impact
       makes v negative it locks at once, and the side that is not held stops with the other. */
    model OneWay
    interface:
        parameter Real v_small << 1e-10;
        static Real q;
        static Real v;
        static Real f;
        static Boolean locked;
    implementation:
        static Real a;
        static Real hold;
        v = der(x = q);
        a = der(x = v);
        if locked then "locked"
            q = hold;
        else then "free"
            f = 0;
        end if;
        when not locked and (v < -v_small or (v < 0 and a <= 0)) then
            locked << true;
            hold << q;
        else when locked and f > 0 then
            locked << false;
        end when;
    end OneWay;

    /* Stops at q_min and q_max, inelastic. mode 0: free, f = 0. mode 1: at q_max, f >= 0; mode -1:
       at q_min, f <= 0. An impact ends the motion of everything rigidly connected with q, so the
       other side of the stop must be at rest: this model has no impulse to share out. */
    model Stop
    interface:
        parameter Real q_min << -1;
        parameter Real q_max << 1;
        parameter Real v_small << 1e-9;
        static Real q;
        static Real v;
        static Real f;
        static Integer mode;
    implementation:
        static Real a;
        v = der(x = q);
        a = der(x = v);
        if mode == 0 then
            f = 0;
        else if mode == 1 then
            q = q_max;
        else then
            q = q_min;
        end if;
        when mode == 0 and q >= q_max and (v > v_small or (v > -v_small and a > 0)) then
            mode << 1;
        else when mode == 0 and q <= q_min and (v < -v_small or (v < v_small and a < 0)) then
            mode << -1;
        else when (mode == 1 and f < 0) or (mode == -1 and f > 0) then
            mode << 0;
        end when;
    end Stop;

    /* Stops of finite stiffness c and damping d: beyond q_max f = c*(q - q_max) + d*v, but never
       pulling, and the same with the other sign below q_min; f = 0 between. */
    model Buffer
    interface:
        parameter Real q_min << -1;
        parameter Real q_max << 1;
        parameter Real c << 1e6;
        parameter Real d << 0;
        static Real q;
        static Real v;
        static Real f;
    implementation:
        v = der(x = q);
        if q > q_max then
            f = max(c*(q - q_max) + d*v, 0);
        else if q < q_min then
            f = min(c*(q - q_min) + d*v, 0);
        else then
            f = 0;
        end if;
    end Buffer;

    /* The same with the units of angles and torques. */
    package Angular

        /* Dry friction, see above. */
        model Dry
            extends Friction.Dry;
        interface:
            redeclare parameter Real v_small {unit << "rad/s"} << 1e-10;
            redeclare static Real q {unit << "rad"};
            redeclare static Real v {unit << "rad/s"};
            redeclare static Real f {unit << "N.m"};
            redeclare static Real limit {unit << "N.m"};
        end Dry;

        /* Freewheel, see above. */
        model OneWay
            extends Friction.OneWay;
        interface:
            redeclare parameter Real v_small {unit << "rad/s"} << 1e-10;
            redeclare static Real q {unit << "rad"};
            redeclare static Real v {unit << "rad/s"};
            redeclare static Real f {unit << "N.m"};
        end OneWay;

        /* Inelastic stops, see above. */
        model Stop
            extends Friction.Stop;
        interface:
            redeclare parameter Real q_min {unit << "rad"} << -1;
            redeclare parameter Real q_max {unit << "rad"} << 1;
            redeclare parameter Real v_small {unit << "rad/s"} << 1e-9;
            redeclare static Real q {unit << "rad"};
            redeclare static Real v {unit << "rad/s"};
            redeclare static Real f {unit << "N.m"};
        end Stop;

        /* Stops of finite stiffness, see above. */
        model Buffer
            extends Friction.Buffer;
        interface:
            redeclare parameter Real q_min {unit << "rad"} << -1;
            redeclare parameter Real q_max {unit << "rad"} << 1;
            redeclare parameter Real c {unit << "N.m/rad"} << 1e6;
            redeclare parameter Real d {unit << "N.m.s/rad"} << 0;
            redeclare static Real q {unit << "rad"};
            redeclare static Real v {unit << "rad/s"};
            redeclare static Real f {unit << "N.m"};
        end Buffer;
    end Angular;

    /* The same with the units of distances and forces. */
    package Linear

        /* Dry friction, see above. */
        model Dry
            extends Friction.Dry;
        interface:
            redeclare parameter Real v_small {unit << "m/s"} << 1e-10;
            redeclare static Real q {unit << "m"};
            redeclare static Real v {unit << "m/s"};
            redeclare static Real f {unit << "N"};
            redeclare static Real limit {unit << "N"};
        end Dry;

        /* Freewheel, see above. */
        model OneWay
            extends Friction.OneWay;
        interface:
            redeclare parameter Real v_small {unit << "m/s"} << 1e-10;
            redeclare static Real q {unit << "m"};
            redeclare static Real v {unit << "m/s"};
            redeclare static Real f {unit << "N"};
        end OneWay;

        /* Inelastic stops, see above. */
        model Stop
            extends Friction.Stop;
        interface:
            redeclare parameter Real q_min {unit << "m"} << -1;
            redeclare parameter Real q_max {unit << "m"} << 1;
            redeclare parameter Real v_small {unit << "m/s"} << 1e-9;
            redeclare static Real q {unit << "m"};
            redeclare static Real v {unit << "m/s"};
            redeclare static Real f {unit << "N"};
        end Stop;

        /* Stops of finite stiffness, see above. */
        model Buffer
            extends Friction.Buffer;
        interface:
            redeclare parameter Real q_min {unit << "m"} << -1;
            redeclare parameter Real q_max {unit << "m"} << 1;
            redeclare parameter Real c {unit << "N/m"} << 1e6;
            redeclare parameter Real d {unit << "N.s/m"} << 0;
            redeclare static Real q {unit << "m"};
            redeclare static Real v {unit << "m/s"};
            redeclare static Real f {unit << "N"};
        end Buffer;
    end Linear;
end Friction;
