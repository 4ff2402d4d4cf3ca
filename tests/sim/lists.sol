/* Dynamic arrays, and the same by recursion. Nothing is random here: children and drivers differ by the time of their birth. */
package Lists

    model Life
        extends Population.Feeding;
        define NE as 100.0;
    interface:
        parameter Real r;
        static Real E;
        static Integer alive;
        static Real greed;
    implementation:
        static Boolean divided;
        static Boolean dead;
        if dead then
            E = 0; f = 0; alive << 0; greed << 0;
        else if divided then
            static Life first{r << r};
            static Life second{r << r*(1 + 0.1*sin(50*time))};
            first.Nc = Nc; first.Pc = Pc; second.Nc = Nc; second.Pc = Pc;
            f = first.f + second.f;
            E = first.E + second.E;
            alive << first.alive + second.alive;
            greed << first.greed + second.greed;
        else then
            f = Nc*0.02*r;
            der(x = E, start << 1) = f*NE - 0.005 - Pc^2*(0.5 + r^2*NE);
            alive << 1;
            greed << r;
        end if;
        when E >= 2 and not divided then divided << true; end when;
        when E < 0.5 then dead << true; end when;
    end Life;

    model Recursive
    interface:
        static Integer alive;
        static Real greed;
        static Real E;
        static Population.Tank tank{V << 10};
    implementation:
        static Life root{r << 0.1};
        connection{a << tank, b << root};
        alive << root.alive;
        greed << root.greed;
        E = root.E;
    end Recursive;

    model Listed
    interface:
        static Integer alive;
        static Real greed;
        static Real E;
        static Population.Tank tank{V << 10};
        dynamic Population.Hermit lives[];
    implementation:
        when initial() then lives <- Population.Hermit{r << 0.1}; end when;
        for c in lives then
            c.Nc = tank.Nc;
            c.Pc = tank.Pc;
            when c.E >= 2 then
                lives <- Population.Hermit{r << c.r};
                lives <- Population.Hermit{r << c.r*(1 + 0.1*sin(50*time))};
                trash <- c;
            else when c.E < 0.5 then
                trash <- c;
            end when;
        end for;
        tank.f + sum(c.f for c in lives) = 0;
        alive << size(lives);
        greed << sum(c.r for c in lives);
        E = sum(c.E for c in lives);
    end Listed;

    model Queue
    interface:
        parameter Real k;
        static Traffic.DrivenCar car{v_start << 12.5};
        dynamic Queue next;
        static Integer n;
        static Real first;
    implementation:
        static Boolean gone;
        car.k << k;
        if next? then
            car.distance << next.car.x - car.x;
            gone << next.car.x > 600;
            n << 1 + next.n;
            first << next.first;
        else then
            car.distance << 4000;
            gone << false;
            n << 1;
            first << car.x;
        end if;
        when gone then trash <- next; end when;
    end Queue;

    model Road
    interface:
        static Integer n;
        static Real first;
        static Real last;
        dynamic Queue queue{k << 0.2};
    implementation:
        dynamic Queue aside;
        when Sample(interval = 2.6) then
            aside <- queue;
        else then
            when aside? then
                queue <- Queue{k << 0.2 + 0.05*(1 + sin(37*time))};
                if queue? then queue.next <- aside; end if;
            end when;
        end when;
        if queue? then n << queue.n; first << queue.first; last << queue.car.x; end if;
    end Road;

    model Lane
    interface:
        static Integer n;
        static Real first;
        static Real last;
    implementation:
        dynamic Traffic.DrivenCar cars[];
        when {initial(), Sample(interval = 2.6)} then
            cars <- Traffic.DrivenCar{v_start << 12.5};
        end when;
        for c in cars then
            static Real k;
            when true then k << if time > 1 then 0.2 + 0.05*(1 + sin(37*time)) else 0.2; end when;
            c.k << k;
            c.distance << if cars[c-1]? then cars[c-1].x - c.x else 4000;
        end for;
        when cars[1].x > 600 and size(cars) > 1 then trash <- cars[1]; end when;
        n << size(cars);
        first << cars[1].x;
        last << cars[end].x;
    end Lane;
end Lists;
