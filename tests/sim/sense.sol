// Models whose derivatives by their parameters test_sense.c knows.

package Sense
  model Ball
  interface:
    parameter Real e << 0.7;
    parameter Real height << 1;
  implementation:
    static Real h; static Real v; static Real before; static Real behind;
    v = der(x = h, start << height);
    if initial() then
      behind << 0;
    end;
    when h < 0 then
      behind << -e*before;
    else then
      der(x = v, start << behind) = -9.81;
      before << v;
    end;
  end Ball;

  // In Cartesian coordinates: the states are chosen anew on the way.
  model Pendulum
  interface:
    parameter Real l << 1.2;
    parameter Real g << 9.81;
  implementation:
    static Real x; static Real y; static Real vx; static Real vy; static Real F;
    vx = der(x = x, start << l*sin(x = 1));
    vy = der(x = y, start << -l*cos(x = 1));
    der(x = vx) = -F*x;
    der(x = vy) = -F*y - g;
    x^2 + y^2 = l^2;
  end Pendulum;

  // The rope breaks where its force is too large, and what hung on it flies.
  model Rope
  interface:
    parameter Real l << 1.2;
    parameter Real strength << 20;
  implementation:
    static Real x; static Real y; static Real vx; static Real vy; static Real F;
    static Boolean broken;
    vx = der(x = x, start << l*sin(x = 1.5));
    vy = der(x = y, start << -l*cos(x = 1.5));
    if initial() then
      broken << false;
    else then
      when F > strength then
        broken << true;
      end;
    end;
    if broken then
      F = 0;
      der(x = vx) = 0;
      der(x = vy) = -9.81;
    else then
      der(x = vx) = -F*x/l;
      der(x = vy) = -F*y/l - 9.81;
      x^2 + y^2 = l^2;
    end;
  end Rope;

  model Rectifier
  interface:
    parameter Real L << 0.2;
    parameter Real R << 50;
    parameter Real C << 0.001;
  implementation:
    static Real i; static Real iC; static Real iR; static Real uC; static Real u0; static Real uL;
    static Real uD;
    static Boolean conducting;
    i = iC + iR;
    iC = C*der(x = uC);
    uC = R*iR;
    u0 = sin(x = time*314.159265358979324);
    uL = L*der(x = i);
    u0 = 10*i + uD + uL + uC;
    if initial() then
      conducting << false;
    else then
      when i < 0 then
        conducting << false;
      else when uD > 0 then
        conducting << true;
      end;
    end;
    if conducting then
      uD = 0;
    else then
      i = 0;
    end;
  end Rectifier;

  // A value that is held, and a state that is born with a value of its own.
  model Born
  interface:
    parameter Real a << 1.5;
  implementation:
    static Real x; static Real y; static Real held; static Real tank;
    der(x = x, start << 0) = a;
    if initial() then
      held << 0;
    end;
    when x > 1 then
      held << 2*a + time;
    end;
    if x > 2 then
      static Real z;
      der(x = z, start << a*a) = -z*held;
      y = z;
    else then
      y = 0;
    end;
    der(x = tank) = held + y;
  end Born;

  // Two shafts that a clutch locks at a time: their momentum is kept.
  model Shafts
  interface:
    parameter Real J << 2;
    parameter Real locks << 0.5;
  implementation:
    static Real w1; static Real w2; static Real f;
    der(x = w1, start << 0) = f + 1;
    J*der(x = w2, start << 3) = -f;
    if time > locks then
      w1 = w2;
    else then
      f = 0;
    end;
  end Shafts;

  model Rate
  interface:
    parameter Real k << 2;
    static Real r;
  implementation:
    r = k;
  end Rate;

  // The parameter goes with its branch, and one of the same path comes.
  model Exchanged
  implementation:
    static Real x; static Real y;
    if x > 1 then
      static Rate part;
      y = 3*part.r;
    else then
      static Rate part;
      y = part.r;
    end;
    der(x = x, start << 0) = y;
  end Exchanged;

  // The event comes much earlier or later when the parameter changes a little.
  model Slow
  interface:
    parameter Real limit << 300;
  implementation:
    static Real x; static Real y; static Boolean on;
    der(x = x, start << 299) = 0.001;
    if initial() then
      on << false;
    end;
    when x > limit then
      on << true;
    end;
    if on then
      y = 1;
    else then
      y = 0;
    end;
    static Real z;
    der(x = z, start << 0) = y;
  end Slow;

  // For p = 1 it is another one on both sides.
  model Kink
  interface:
    parameter Real p << 1;
    parameter Integer n << 3;
    parameter Boolean b << true;
    parameter Real twice << 2*p;
  implementation:
    static Real x; static Real rate;
    if p > 1 then
      rate = 2;
    else then
      rate = 1;
    end;
    der(x = x, start << 0) = rate*n*twice;
  end Kink;
end Sense;
