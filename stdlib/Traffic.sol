/* Traffic: cars on one lane, and the jams that come from nowhere.

   Cars enter at x = 0 [m] at fixed intervals and leave at the end of the road. Every driver keeps
   two seconds behind the car in front and brakes too late and too long. Zimmer 2010, section
   11.6. */
package Traffic

    /* A particle on a line: position x [m], speed v [m/s], acceleration a [m/s^2]. */
    partial model Car
    interface:
        parameter Real x_start << 0;
        parameter Real v_start << 0;
        static Real x;
        static Real v;
    implementation:
        static Real a;
        v = derState(x = x, start << x_start);
        a = derState(x = v, start << v_start);
    end Car;

    /* A car with a driver. He wants the speed v_max [m/s] and approaches it with the rate k [1/s].
       When the distance to the car in front falls below the safe one, two seconds of driving, he
       brakes, harder the closer the other is, until the distance is half as much again as the safe
       one. The model around gives distance [m] and k. Every moment of the drive is a point (x,
       time). */
    model DrivenCar
        extends Car;
        define length as 5.0;
        define nearest as 0.001;
    interface:
        parameter Real v_max << 25;
        static Real distance;
        static Real k;
    implementation:
        static Real safe;
        static Real gap;
        static Boolean braking;
        safe = 2*v;
        gap = max(distance - length/2, nearest);
        if braking then
            a = -2*k*v_max*safe/gap;
        else then
            a = k*(v_max - v);
        end if;
        if initial() then
            braking << false;
        else then
            when not braking and distance < safe then
                braking << true;
            else when braking and distance > 1.5*safe then
                braking << false;
            end when;
        end if;
        Graphics.Point(x << x, y << time);
    end DrivenCar;

    /* A piece of the queue on the road: one car, and the queue in front of it in `next`. When the
       car in front has passed the end of the road, it goes, and what is in front of it with it.
       Drivers differ in k. */
    model Queue
        define road as 4000;
        define limit as 25.0;
    interface:
        static DrivenCar car{v_max << limit, v_start << limit/2};
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

        /* A car enters every 2.6 s with half the speed allowed: in a first update the queue steps
           aside, in a second a new car comes in and the queue becomes what is in front of it. */
        model Road
            define interval as 2.6;
        interface:
            dynamic Queue last{};
        implementation:
            dynamic Queue aside;
            when Sample(interval = interval) then
                aside <- last;
            else then
                when aside? then
                    last <- Queue;
                    if last? then
                        last.next <- aside;
                    end if;
                end when;
            end when;
        end Road;
    end Examples;
end Traffic;
