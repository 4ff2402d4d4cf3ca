/* What listings 5.10, 5.11, 7.2, 9.1, 10.2, 11.3, 11.9 and 11.17 of the thesis and the joints of its appendix D do, in models
   of our own. test_thesis.c says what comes out, tools/thesis.py puts numbers of the thesis beside ours. */
package Thesis

    /* 5.10: a level that rises and is frozen at 5; the event lies inside the else branch of `initial()`. */
    model Frozen
    interface:
        static Real level;
        static Boolean frozen;
    implementation:
        if initial() then
            frozen << false;
        else then
            when level >= 5 then
                frozen << true;
            end;
        end;
        if not frozen then
            der(x = level) = 1;
        else then
            level = 5;
        end if;
    end Frozen;

    /* ---- 5.11: one engine is exchanged for another when the wheel is fast ---- */

    connector Shaft
    interface:
        static potential Real phi;
        static flow Real t;
    end Shaft;

    model Wheel
    interface:
        parameter Real inertia;
        static Shaft f;
        static Real w;
    implementation:
        w = der(x = f.phi, start << 0);
        f.t = inertia*der(x = w, start << 0);
    end Wheel;

    model Gear
    interface:
        parameter Real ratio;
        static Shaft f1;
        static Shaft f2;
    implementation:
        f1.phi = ratio*f2.phi;
        f2.t + ratio*f1.t = 0;
    end Gear;

    model Even
    interface:
        parameter Real mean;
        static Shaft f;
    implementation:
        f.t = -mean;
    end Even;

    model Pulsing
    interface:
        parameter Real mean;
        static Shaft f;
    implementation:
        f.t = -mean*(1 + cos(x = f.phi));
    end Pulsing;

    model Machine
    interface:
        static Wheel wheel{inertia << 1};
        static Gear gear{ratio << 1.8};
        static Boolean fast;
    implementation:
        connection{a << gear.f2, b << wheel.f};
        if fast then
            static Even engine{mean << 10};
            connection{a << engine.f, b << gear.f1};
        else then
            static Pulsing engine{mean << 10};
            connection{a << engine.f, b << gear.f1};
        end;
        if initial() then
            fast << false;
        end;
        when wheel.w > 40 then
            fast << true;
        end;
    end Machine;

    /* ---- 11.3 in the circuit of 11.2: conditions that do not ask for the mode they are in ---- */

    model PlainDiode
        extends Electric.Interfaces.TwoPins;
    interface:
        parameter Boolean closed_first << false;
        static Boolean closed;
    implementation:
        if closed then
            u = 0;
        else then
            i = 0;
        end;
        if initial() then
            closed << closed_first;
        else then
            when i < 0 then
                closed << false;
            else when u > 0 then
                closed << true;
            end;
        end;
    end PlainDiode;

    model HalfWave
    interface:
        parameter Real L << 0.2;
        static Electric.Sources.SineVoltage source{U << 1, f << 50};
        static Electric.Basic.Inductor coil{L << L};
        static Electric.Basic.Resistor R1{R << 10};
        static PlainDiode D;
        static Electric.Basic.Capacitor C{C << 0.001};
        static Electric.Basic.Resistor R2{R << 50};
    implementation:
        static Electric.Sources.Ground G;
        connection{a << G.p, b << source.n};
        connection{a << G.p, b << C.n};
        connection{a << G.p, b << R2.n};
        connection{a << C.p, b << R2.p};
        connection{a << C.p, b << D.n};
        connection{a << R1.n, b << D.p};
        connection{a << source.p, b << coil.p};
        connection{a << coil.n, b << R1.p};
    end HalfWave;

    /* Appendix C: the same diode with the signs as the appendix prints them. It never conducts: it
       opens where it should close. */
    model ReversedDiode
        extends Electric.Interfaces.TwoPins;
    interface:
        static Boolean closed;
    implementation:
        if closed then
            u = 0;
        else then
            i = 0;
        end;
        when i > 0 then
            closed << false;
        else when u < 0 then
            closed << true;
        end;
    end ReversedDiode;

    model Reversed
    interface:
        static Electric.Sources.SineVoltage source{U << 1, f << 50};
        static ReversedDiode D;
        static Electric.Basic.Resistor R{R << 10};
    implementation:
        static Electric.Sources.Ground G;
        connection{a << source.p, b << D.p};
        connection{a << D.n, b << R.p};
        connection{a << R.n, b << G.p};
        connection{a << source.n, b << G.p};
    end Reversed;

    /* ---- 11.9 and appendix D: impulses pass through joints, and one of them has a stop ---- */

    /* An impulse M changes the speed by way of the mean Wm of the speeds before and after it. */
    connector Spin
    interface:
        static potential Real phi;
        static flow Real t;
        static potential Real Wm;
        static flow Real M;
        static Boolean contactIn;
        static Boolean contactOut;
    end Spin;

    model Wall
    interface:
        static Spin f;
    implementation:
        f.phi = 0;
        f.Wm = 0;
        f.contactOut << false;
    end Wall;

    model Disc
    interface:
        parameter Real I;
        static Real tau;
        static Spin f;
    implementation:
        static Real w;
        static Real z;
        static Real before;
        w = der(x = f.phi);
        when f.contactIn then
        else then
            z = der(x = w);
            before << w;
        end;
        f.t + tau = I*z;
        f.M = 2*I*(f.Wm - before);
        f.contactOut << false;
    end Disc;

    /* Turns freely down to the angle `least`, where it stops without bouncing, until it is pulled away. */
    model Hinge
    interface:
        parameter Real phi_start << 0;
        parameter Real w_start << 0;
        parameter Real least << -1000;
        static Spin fa;
        static Spin fb;
        static Real phi;
        static Boolean held;
    implementation:
        static Boolean contact;
        static Boolean to_hold;
        static Boolean to_let_go;
        static Real from;
        static Real Wm;
        if initial() then
            from << phi_start;
        end;
        when to_hold then
            to_let_go << false;
            held << true;
        end;
        when to_let_go then
            to_hold << false;
            held << false;
        end;
        if held then
            phi = least;
            Wm = 0;
            contact << false;
            when fa.t < 0 then
                to_let_go << true;
                from << least;
            end;
        else then
            static Real w;
            static Real z;
            static Real before;
            static Real after;
            contact << phi < least;
            if initial() then
                after << w_start;
            end;
            w = derState(x = phi, start << from);
            when contact then
                w = 0;
                Wm = 0.5*before;
                after << w;
                to_hold << true;
            else then
                when fa.contactIn or fb.contactIn then
                    w = 2*Wm - before;
                    after << w;
                else then
                    z = derState(x = w, start << after);
                    tearing(x = z);
                    before << w;
                end;
                fb.M = 0;
            end;
            fb.t = 0;
        end;
        fa.phi + phi = fb.phi;
        fa.Wm + Wm = fb.Wm;
        fa.t + fb.t = 0;
        fa.M + fb.M = 0;
        fa.contactOut << contact or fb.contactIn;
        fb.contactOut << contact or fa.contactIn;
    end Hinge;

    /* A disc runs against its stop and is driven away again; a second one turns on it and hears of the impulse only. */
    model TwoDiscs
    interface:
        static Wall wall;
        static Hinge first{least << -1};
        static Disc inner{I << 2};
        static Hinge second{w_start << 0.5};
        static Disc outer{I << 3};
    implementation:
        if time < 4 then inner.tau = -1; else then inner.tau = 1; end if;
        outer.tau = 0;
        connection{a << wall.f, b << first.fa};
        wall.f.contactIn << first.fa.contactOut;
        first.fa.contactIn << wall.f.contactOut;
        connection{a << first.fb, b << inner.f};
        connection{a << first.fb, b << second.fa};
        first.fb.contactIn << inner.f.contactOut or second.fa.contactOut;
        inner.f.contactIn << first.fb.contactOut or second.fa.contactOut;
        second.fa.contactIn << first.fb.contactOut or inner.f.contactOut;
        connection{a << second.fb, b << outer.f};
        second.fb.contactIn << outer.f.contactOut;
        outer.f.contactIn << second.fb.contactOut;
    end TwoDiscs;

    /* ---- 7.2, 9.1, 10.1, 10.2: small circuits, flat ---- */

    /* 7.2 (listing 1 of the paper): a capacitor behind a resistor, at four different ends in turn. */
    model FourEnds
    interface:
        static Real uc;
        static Real ur;
        static Real us;
        static Real i;
        static Integer mode;
    implementation:
        uc + ur + us = 0;
        ur = 100*i;
        i = 0.01*der(x = uc);
        if time < 5 then
            mode << 1;
        else if time < 10 then
            mode << 0;
        else if time < 15 then
            mode << 2;
        else then
            mode << 3;
        end if;
        if mode == 0 then
            us = 10;
        else if mode == 1 then
            static Real w;
            w = 5;
            us = 10*cos(x = w*(time - 5));
        else if mode == 2 then
            i = -0.2;
        else then
            us = 1000*i;
        end if;
    end FourEnds;

    /* 9.1 (listing 3): three sources on one node, one of them by way of a switch. */
    model Mesh
    interface:
        static Real v1;
        static Real v2;
        static Real v3;
        static Boolean closed;
    implementation:
        static Real u1;
        static Real u2;
        static Real u3;
        static Real i1;
        static Real i12;
        static Real i2;
        static Real i23;
        static Real i3;
        u1 = 10*sin(x = 157*time);
        u2 = 5*sin(x = 94*time + 0.8);
        u3 = 16*sin(x = 63*time + 1.6);
        u1 - v1 = 10*i1;
        u1 - v2 = 20*i12;
        u2 - v2 = 30*i2;
        u3 - v2 = 40*i23;
        u3 - v3 = 50*i3;
        v3 - v2 = 70*i3;
        i1 + i12 + i2 + i23 + i3 = 0;
        closed << time > 0.05;
        if closed then
            v1 - v2 = 60*i1;
        else then
            i1 = 0;
        end if;
    end Mesh;

    /* 10.2 (listing 5): two capacitors side by side. */
    model SideBySide
    interface:
        static Real u1;
        static Real u2;
    implementation:
        static Real ur;
        static Real ir;
        static Real i1;
        static Real i2;
        ur = 100*ir;
        i1 = 0.001*der(x = u1);
        i2 = 0.002*der(x = u2);
        ir = i1 + i2;
        u1 = u2;
        ur + u1 = 10;
    end SideBySide;

    /* ---- 11.17: a list that grows at its head, and a variable that is declared for nothing ---- */

    model Item
    interface:
        static Real age;
        static Integer length;
        dynamic Item next;
    implementation:
        der(x = age, start << 0) = 1;
        if next? then length << next.length + 1; else then length << 1; end if;
    end Item;

    model Growing
    interface:
        static Integer count;
        static Real youngest;
        static Real second;
    implementation:
        dynamic Item head{};
        dynamic Item held;
        static Boolean spare;
        when Sample(interval = 1) then
            held <- head;
        else then
            when held? then
                head <- Item;
                if head? then head.next <- held; end;
            end;
        end;
        count << head.length;
        youngest = head.age;
        if head.next? then second << head.next.age; end if;
    end Growing;
end Thesis;
