/* Mechanisms with more constraints than they need, each beside a version that has just enough; and circuits
 * whose currents are open. The names that are compared are the same in both. */
package Redundant

    /* Three cranks of length 0.7 carry a plate that cannot turn: two would do. */
    partial model ThreeCranks
    interface:
        static Planar.Joints.Fixation F1;
        static Planar.Joints.Fixation F2{x << 1.3};
        static Planar.Joints.Revolute R1{phi_start << 0.5, w_start << 1};
        static Planar.Joints.PassiveRevolute R2{phi_start << 0.5};
        static Planar.Joints.PassiveRevolute R3{phi_start << 0.5};
        static Planar.Joints.PassiveRevolute J1{phi_start << -0.5};
        static Planar.Joints.LoopRevolute J2;
        static Planar.Joints.LoopRevolute J3;
        static Planar.Parts.Translation T1{sx << 0.7};
        static Planar.Parts.Translation T2{sx << 0.7};
        static Planar.Parts.Translation T3{sx << 0.7};
        static Planar.Parts.Translation C2{sx << 1.3};
        static Planar.Parts.Body B{m << 2.1, I << 0.5};
        static Planar.Parts.Body B1{m << 1, I << 0.2};
    implementation:
        connection{a << F1.fa, b << R1.fa};
        connection{a << F2.fa, b << R2.fa};
        connection{a << R1.fb, b << T1.fa};
        connection{a << R2.fb, b << T2.fa};
        connection{a << R3.fb, b << T3.fa};
        connection{a << T1.fb, b << J1.fa};
        connection{a << J1.fb, b << C2.fa};
        connection{a << J1.fb, b << B.fa};
        connection{a << R1.fb, b << B1.fa};
        connection{a << C2.fb, b << J2.fa};
        connection{a << T2.fb, b << J2.fb};
        connection{a << T3.fb, b << J3.fb};
        F1.fa.contactIn << false;
        F2.fa.contactIn << false;
        R1.fa.contactIn << false;
        R1.fb.contactIn << false;
        R2.fa.contactIn << false;
        R2.fb.contactIn << false;
        R3.fa.contactIn << false;
        R3.fb.contactIn << false;
        J1.fa.contactIn << false;
        J1.fb.contactIn << false;
        J2.fa.contactIn << false;
        J2.fb.contactIn << false;
        J3.fa.contactIn << false;
        J3.fb.contactIn << false;
        T1.fa.contactIn << false;
        T1.fb.contactIn << false;
        T2.fa.contactIn << false;
        T2.fb.contactIn << false;
        T3.fa.contactIn << false;
        T3.fb.contactIn << false;
        C2.fa.contactIn << false;
        C2.fb.contactIn << false;
        B.fa.contactIn << false;
        B1.fa.contactIn << false;
    end ThreeCranks;

    /* The third one stands beside the line of the others. */
    model Triangle
        extends ThreeCranks;
    interface:
        static Planar.Joints.Fixation F3{x << 0.6, y << 0.9};
        static Planar.Parts.Translation C3{sx << 0.6, sy << 0.9};
    implementation:
        connection{a << F3.fa, b << R3.fa};
        connection{a << J1.fb, b << C3.fa};
        connection{a << C3.fb, b << J3.fa};
        F3.fa.contactIn << false;
        C3.fa.contactIn << false;
        C3.fb.contactIn << false;
    end Triangle;

    /* On one line, as the wheels of a locomotive. */
    model Line
        extends ThreeCranks;
    interface:
        static Planar.Joints.Fixation F3{x << 0.6};
        static Planar.Parts.Translation C3{sx << 0.6};
    implementation:
        connection{a << F3.fa, b << R3.fa};
        connection{a << J1.fb, b << C3.fa};
        connection{a << C3.fb, b << J3.fa};
        F3.fa.contactIn << false;
        C3.fa.contactIn << false;
        C3.fb.contactIn << false;
    end Line;

    /* The plate keeps its direction, so all of it moves as the end of one crank does. */
    model OneCrank
    interface:
        static Real phi;
        static Real w;
    implementation:
        w = der(x = phi, start << 0.5);
        (0.2 + 2.1*0.7^2)*der(x = w, start << 1) = 2.1*9.81*0.7*cos(phi);
    end OneCrank;

    /* The same with equations of its own; the cranks have mass, forces are plain variables. */
    model FlatCranks
    interface:
        parameter Real bx << 0.6;
        parameter Real by << 0.9;
        parameter Real third << 0.7;
        static Real phi;
        static Real w;
        static Real p2;
        static Real p3;
        static Real x;
        static Real y;
        static Real th;
        static Real f1;
        static Real g1;
        static Real f2;
        static Real g2;
        static Real f3;
        static Real g3;
    implementation:
        static Real w2;
        static Real w3;
        static Real vx;
        static Real vy;
        static Real wt;
        w = derState(x = phi, start << 0.5);
        w2 = der(x = p2, start << 0.5);
        w3 = der(x = p3, start << 0.5);
        vx = der(x = x);
        vy = der(x = y);
        wt = der(x = th);
        x = 0.7*cos(phi);
        y = 0.7*sin(phi);
        x + 1.3*cos(th) = 1.3 + 0.7*cos(p2);
        y + 1.3*sin(th) = 0.7*sin(p2);
        x + bx*cos(th) - by*sin(th) = bx + third*cos(p3);
        y + bx*sin(th) + by*cos(th) = by + third*sin(p3);
        0.2*derState(x = w, start << 1) = 0.7*(cos(phi)*g1 - sin(phi)*f1);
        0.3*der(x = w2) = 0.7*(cos(p2)*g2 - sin(p2)*f2);
        0.4*der(x = w3) = third*(cos(p3)*g3 - sin(p3)*f3);
        2.1*der(x = vx) = -f1 - f2 - f3;
        2.1*der(x = vy) = -2.1*9.81 - g1 - g2 - g3;
        0.5*der(x = wt) = 1.3*(sin(th)*f2 - cos(th)*g2) + (bx*sin(th) + by*cos(th))*f3
                          - (bx*cos(th) - by*sin(th))*g3;
    end FlatCranks;

    model FlatOne
    interface:
        static Real phi;
        static Real w;
    implementation:
        w = der(x = phi, start << 0.5);
        (0.9 + 2.1*0.7^2)*der(x = w, start << 1) = -2.1*9.81*0.7*cos(phi);
    end FlatOne;

    /* A block on two rails side by side. */
    model TwoRails
    interface:
        static Planar.Joints.Fixation F{phi << 0.3};
        static Planar.Joints.Prismatic rail{s_start << 1, v_start << 0.5};
        static Planar.Joints.Prismatic other{s_start << 1, v_start << 0.5};
        static Planar.Parts.Translation up{sx << 0, sy << 0.4};
        static Planar.Parts.Translation down{sx << 0, sy << -0.4};
        static Planar.Parts.Body block{m << 2, I << 0.1};
    implementation:
        connection{a << F.fa, b << rail.fa};
        connection{a << F.fa, b << up.fa};
        connection{a << up.fb, b << other.fa};
        connection{a << other.fb, b << down.fa};
        connection{a << down.fb, b << rail.fb};
        connection{a << rail.fb, b << block.fa};
        F.fa.contactIn << false;
        rail.fa.contactIn << false;
        rail.fb.contactIn << false;
        other.fa.contactIn << false;
        other.fb.contactIn << false;
        up.fa.contactIn << false;
        up.fb.contactIn << false;
        down.fa.contactIn << false;
        down.fb.contactIn << false;
        block.fa.contactIn << false;
    end TwoRails;

    model OneRail
    interface:
        static Planar.Joints.Fixation F{phi << 0.3};
        static Planar.Joints.Prismatic rail{s_start << 1, v_start << 0.5};
        static Planar.Parts.Body block{m << 2, I << 0.1};
    implementation:
        connection{a << F.fa, b << rail.fa};
        connection{a << rail.fb, b << block.fa};
        F.fa.contactIn << false;
        rail.fa.contactIn << false;
        rail.fb.contactIn << false;
        block.fa.contactIn << false;
    end OneRail;

    /* Two gears of one ratio side by side; a third between two times if `many`. */
    model TwoGears
    interface:
        parameter Real second << 2.3;
        static Rotational.Basic.Inertia shaft{J << 1.1};
        static Rotational.Basic.Gear G1{ratio << 2.3};
        static Rotational.Basic.Gear G2{ratio << second};
        static Rotational.Basic.Inertia wheel{J << 0.7};
    implementation:
        connection{a << shaft.b, b << G1.a};
        connection{a << shaft.b, b << G2.a};
        connection{a << G1.b, b << wheel.a};
        connection{a << G2.b, b << wheel.a};
        shaft.a.t = sin(3*time);
        wheel.b.t = 1;
    end TwoGears;

    model OneGear
    interface:
        static Rotational.Basic.Inertia shaft{J << 1.1};
        static Rotational.Basic.Gear G1{ratio << 2.3};
        static Rotational.Basic.Inertia wheel{J << 0.7};
    implementation:
        connection{a << shaft.b, b << G1.a};
        connection{a << G1.b, b << wheel.a};
        shaft.a.t = sin(3*time);
        wheel.b.t = 1;
    end OneGear;

    /* A clutch with a ratio: while it is closed b turns 1.7 times as fast as a. */
    model Clutch
    interface:
        static Real wa;
        static Real wb;
        static Real t;
        static Boolean closed;
    implementation:
        if closed then
            wb = 1.7*wa;
        else then
            t = 0;
        end if;
    end Clutch;

    /* Two clutches side by side, closed from 0.3 and from 0.5 on, opened at 0.6 and 0.9. Without them the two discs would
     * turn at that ratio until time 0.4. */
    model Clutches
    interface:
        parameter Boolean both << true;
        static Real w1;
        static Real w2;
        static Clutch A;
        static Clutch B;
    implementation:
        2*der(x = w1, start << 1) = 1 - 1.7*A.t - 1.7*B.t;
        der(x = w2, start << 1.7) = 0.85 + A.t + B.t + load;
        static Real load;
        if time > 0.4 then
            load = -0.5;
        else then
            load = 0;
        end if;
        A.wa = w1;
        A.wb = w2;
        B.wa = w1;
        B.wb = w2;
        A.closed << time > 0.3 and (time < 0.6 or (time < 0.9 and not both));
        B.closed << both and time > 0.5 and time < 0.9;
    end Clutches;
end Redundant;
