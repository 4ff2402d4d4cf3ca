/* A transmission line of n sections with a load that moves along it: every `stay` seconds a switch
   takes it from one section to the next. Each move concerns two sections and nothing else. */
package Lines

    connector Pin
    interface:
        static potential Real u;
        static flow Real i;
    end Pin;

    /* L in line, C to ground, and the load while it is here. */
    model Section
    interface:
        parameter Integer index;
        parameter Real stay;
        static Pin p;
        static Pin n;
    implementation:
        static Real load;
        p.u - n.u = 0.1*der(x = p.i, start << 0);
        p.i + n.i = 0.1*der(x = n.u, start << 0) + load;
        if time >= index*stay and time < (index + 1)*stay then
            n.u = 2*load;
        else then
            load = 0;
        end if;
    end Section;

    model Part
    interface:
        parameter Integer first;
        parameter Integer n;
        parameter Real stay;
        static Pin p;
        static Pin q;
    implementation:
        if n > 1 then
            static Part left{first << first, n << floor(n/2), stay << stay};
            static Part right{first << first + floor(n/2), n << n - floor(n/2), stay << stay};
            connection{a << p, b << left.p};
            connection{a << left.q, b << right.p};
            connection{a << right.q, b << q};
        else then
            static Section s{index << first, stay << stay};
            connection{a << p, b << s.p};
            connection{a << s.n, b << q};
        end if;
    end Part;

    model Line
    interface:
        parameter Integer n << 8;
        parameter Real stay << 0.1;
        static Real iIn;
    implementation:
        static Part all{first << 0, n << n, stay << stay};
        all.p.u = sin(6.283185307179586*time);
        all.q.i = 0;
        iIn = all.p.i;
    end Line;
end Lines;
