/* Traffic: cars on one lane, and the jams that come from nowhere.

   Cars enter at x = 0 [m] at fixed intervals and leave at the end of the road. Every driver keeps
   two seconds behind the car in front, notices a moment too late that he does not, and brakes
   longer than he must. That moment makes the jams: without it (reaction 0) a disturbance dies away
   at this density, with 0.3 s it grows from car to car until the road stops and goes. Zimmer 2010,
   section 11.6, has no such parameter; there the jams come from steps of 0.1 s, to which every
   event has to wait. */
package Traffic

    /* A particle on a line: position x [m], speed v [m/s], acceleration a [m/s^2]. */
    partial model Car
    interface:
        parameter Real x_start {unit << "m"} << 0;
        parameter Real v_start {unit << "m/s"} << 0;
        static Real x {unit << "m"};
        static Real v {unit << "m/s"};
    implementation:
        static Real a {unit << "m/s2"};
        v = derState(x = x, start << x_start);
        a = derState(x = v, start << v_start);
    end Car;

    /* A car with a driver. He wants the speed v_max [m/s] and approaches it with the rate k [1/s].
       When the distance to the car in front falls below the safe one, `headway` [s] of driving, he
       brakes, harder the closer the other is, until the distance is half as much again as the safe
       one. Both decisions take effect after `reaction` [s]. The model around gives distance [m]
       and k. Every moment of the drive is a point (x, time) with the
       colour of its speed. */
    model DrivenCar
        extends Car;
        define length as 5.0;
        define nearest as 0.001;
    interface:
        parameter Real v_max {unit << "m/s"} << 25;
        parameter Real reaction {unit << "s"} << 0.3;
        parameter Real headway {unit << "s"} << 2;
        static Real distance {unit << "m"};
        static Real k {unit << "1/s"};
    implementation:
        assert(condition = v_max > 0, message = "the speed v_max must be positive");
        assert(condition = reaction >= 0, message = "the reaction time must not be negative");
        static Real safe {unit << "m"};
        static Real gap {unit << "m"};
        static Boolean alarmed;
        static Boolean braking;
        static Real acts {unit << "s"};
        safe = headway*v;
        gap = max(distance - length/2, nearest);
        if braking then "brakes"
            a = -2*k*v_max*safe/gap;
        else then "drives"
            a = k*(v_max - v);
        end if;
        if not initial() then
            when not alarmed and distance < safe then
                alarmed << true;
                acts << time + reaction;
            else when alarmed and distance > 1.5*safe then
                alarmed << false;
                acts << time + reaction;
            end when;
            when alarmed <> braking and time >= acts then
                braking << alarmed;
            end when;
        end if;
        Graphics.ColouredPoint{axes << "place [m] | time [s] | speed [m/s]"}
            (x << x, y << time, value << v);
    end DrivenCar;

    /* A piece of the queue on the road: one car, and the queue in front of it in `next`. When the
       car in front has passed the end of the road, it goes, and what is in front of it with it.
       Drivers differ in k. */
    model Queue
        define road as 4000;
        define limit as 25.0;
    interface:
        parameter Real reaction {unit << "s"} << 0.3;
        static DrivenCar car{v_max << limit, v_start << limit/2, reaction << reaction};
        dynamic Queue next;
    implementation:
        static Boolean gone;
        car.k << 0.2 + random(x = 0.1);
        if next? then
            car.distance << next.car.x - car.x;
            gone << next.car.x > road;
        else then
            car.distance << road;
            gone << false;
        end if;
        when gone then
            trash <- next;
        end when;
    end Queue;

    package Examples

        /* A car enters every `interval` [s] with half the speed allowed: in a first update the
           queue steps aside, in a second a new car comes in and the queue becomes what is in front
           of it. With 2.6 s the road is nearly full: the first small jams come after about 300 s,
           and in the end the whole road stops and goes. With reaction 0 it flows. */
        model Road
        interface:
            parameter Real interval {unit << "s"} << 2.6;
            parameter Real reaction {unit << "s"} << 0.3;
            dynamic Queue last{reaction << reaction};
        implementation:
            dynamic Queue aside;
            when Sample(interval = interval) then
                aside <- last;
            else then
                when aside? then
                    last <- Queue{reaction << reaction};
                    if last? then
                        last.next <- aside;
                    end if;
                end when;
            end when;
        end Road;

        /* The same road with its cars in a dynamic array: in front of each is the one before it, at the end of the
           road the first one leaves. */
        model Lane
        interface:
            parameter Real interval {unit << "s"} << 2.6;
            parameter Real reaction {unit << "s"} << 0.3;
            dynamic DrivenCar cars[];
        implementation:
            when {initial(), Sample(interval = interval)} then
                cars <- DrivenCar{v_start << 12.5, reaction << reaction};
            end when;
            for c in cars then
                c.k << 0.2 + random(x = 0.1);
                c.distance << if cars[c-1]? then cars[c-1].x - c.x else 4000;
            end for;
            when cars[1].x > 4000 then trash <- cars[1]; end when;
        end Lane;
    end Examples;
end Traffic;
