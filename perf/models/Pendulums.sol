/* A pendulum that breaks off (Hydra's first example, with its numbers), and a chain of n pendulums
   that breaks in its middle. */
package Pendulums

    /* Angle pi/4, length 1; from `breaks` on, the mass flies. */
    model Breaking
    interface:
        parameter Real breaks << 5;
        static Real x;
        static Real y;
        static Real vx;
        static Real vy;
    implementation:
        vx = der(x = x);
        vy = der(x = y);
        if time < breaks then
            static Real phi;
            static Real w;
            x = sin(phi);
            y = -cos(phi);
            w = derState(x = phi, start << 0.7853981633974483);
            derState(x = w, start << 0) = -9.81*sin(phi);
        else then
            der(x = vx) = 0;
            der(x = vy) = -9.81;
        end if;
    end Breaking;

    /* n point masses of 1 kg on rods of 1/all m, one below the other: this one, and the rest in `next`.
       fx, fy is the force with which it pulls at its upper end (x0, y0). All at rest at 45 degrees; from
       `breaks` on, the link in the middle has no rod. */
    model Link
        define slope as 0.7071067811865476;
    interface:
        parameter Integer n;
        parameter Integer all;
        parameter Real breaks;
        static Real x0;
        static Real y0;
        static Real fx;
        static Real fy;
        static Real xEnd;
        static Real yEnd;
    implementation:
        static Real x;
        static Real y;
        static Real vx;
        static Real vy;
        static Real pull;
        static Real fxBelow;
        static Real fyBelow;
        vx = der(x = x, start << slope*(all - n + 1));
        vy = der(x = y, start << -slope*(all - n + 1));
        der(x = vx) = -fx + fxBelow;
        der(x = vy) = -fy + fyBelow - 9.81;
        fx = pull*(x - x0);
        fy = pull*(y - y0);
        if n == floor(all/2) and time >= breaks then
            pull = 0;
        else then
            (x - x0)^2 + (y - y0)^2 = 1;
        end if;
        if n > 1 then
            static Link next{n << n - 1, all << all, breaks << breaks};
            next.x0 = x;
            next.y0 = y;
            fxBelow = next.fx;
            fyBelow = next.fy;
            xEnd = next.xEnd;
            yEnd = next.yEnd;
        else then
            fxBelow = 0;
            fyBelow = 0;
            xEnd = x;
            yEnd = y;
        end if;
    end Link;

    model Chain
    interface:
        parameter Integer n << 4;
        parameter Real breaks << 0.5;
        static Link first{n << n, all << n, breaks << breaks};
        static Real x;
        static Real y;
    implementation:
        first.x0 = 0;
        first.y0 = 0;
        x = first.xEnd;
        y = first.yEnd;
    end Chain;
end Pendulums;
