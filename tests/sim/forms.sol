// Systems whose equations stay equations of the integrator (--form dae).

// Eight equations with second and third derivatives, after Mattsson and Soederlind; `w` makes all of them count.
model Reduction
interface:
  static Real x1; static Real x2; static Real x3; static Real x4;
  static Real x5; static Real x6; static Real x7; static Real x8; static Real w;
implementation:
  static Real v1; static Real v2; static Real v3; static Real a1; static Real a2;
  v1 = der(x = x1);
  v2 = der(x = x2, start << 0.3);
  v3 = der(x = x3);
  a1 = der(x = v1);
  a2 = der(x = v2, start << 0.1);
  0 = sin(time) + x1 - x2;
  0 = cos(2*time) + x1 + x2 - x3 + der(x6);
  0 = sin(3*time) + x1 + v3 - x4;
  0 = time + 2*a1 + a2 + der(v3) + der(x4) + der(der(der(x6)));
  0 = cos(time) + 3*a1 + 2*a2 + x5 + 0.1*x8;
  0 = sin(time/2) + 2*x6 + x7;
  0 = cos(time/3) + 3*x6 + 4*x7;
  0 = 2 + sin(time) + x8 - sin(x8);
  der(x = w, start << 0) = x1 + x4 + x5 + x6 + x7;
end Reduction;

// Point masses on rods one metre long, let go in a straight line.
model Chain
interface:
  parameter Integer n << 10;
  static Real x[n]; static Real y[n]; static Real worst;
implementation:
  static Real vx[n]; static Real vy[n]; static Real f[n];
  for i in 1:n then
    vx[i] = der(x = x[i], start << 0.6*i);
    vy[i] = der(x = y[i], start << -0.8*i);
  end for;
  x[1]*x[1] + y[1]*y[1] = 1;
  for i in 2:n then
    (x[i] - x[i-1])*(x[i] - x[i-1]) + (y[i] - y[i-1])*(y[i] - y[i-1]) = 1;
  end for;
  der(vx[1]) = -f[1]*x[1] + f[2]*(x[2] - x[1]);
  der(vy[1]) = -f[1]*y[1] + f[2]*(y[2] - y[1]) - 9.81;
  for i in 2:n-1 then
    der(vx[i]) = -f[i]*(x[i] - x[i-1]) + f[i+1]*(x[i+1] - x[i]);
    der(vy[i]) = -f[i]*(y[i] - y[i-1]) + f[i+1]*(y[i+1] - y[i]) - 9.81;
  end for;
  der(vx[n]) = -f[n]*(x[n] - x[n-1]);
  der(vy[n]) = -f[n]*(y[n] - y[n-1]) - 9.81;
  worst = abs((x[n] - x[n-1])^2 + (y[n] - y[n-1])^2 - 1);
end Chain;

// Two states have one slope, which only iteration finds; another one's slope is a state.
model Shared
interface:
  static Real a; static Real b; static Real c; static Real s;
implementation:
  der(x = a, start << 1) = s;
  der(x = b, start << 2) = s;
  der(x = c, start << 2) = a;
  s*s*s + s = -a*b + c;
end Shared;

// A pendulum whose string is cut, tied again where it is then, and pushed on the way.
model Strings
interface:
  static Real x; static Real y; static Real vx; static Real vy;
implementation:
  static Boolean tied; static Real l2; static Real push;
  vx = der(x = x, start << 1);
  vy = der(x = y, start << 0);
  if initial() then tied << true; l2 << 1; end if;
  when time > 0.7 then tied << false;
  else when time > 0.9 then tied << true; l2 << x*x + y*y; end when;
  push = if time > 0.3 and time < 0.4 then 2 else 0;
  if tied then
    static Real f;
    x*x + y*y = l2;
    der(vx) = -f*x + push;
    der(vy) = -f*y - 9.81;
  else then
    der(vx) = push;
    der(vy) = -9.81;
  end if;
end Strings;

// A crank of 0.3, its pin of 1 kg; a rod of 0.8; a piston of 3 kg on the axis. It begins at the angle whose cosine and sine are c and s, with the speed w.
model SliderCrank
interface:
  parameter Real c << 1; parameter Real s << 0; parameter Real w << 13;
  static Real x; static Real y; static Real vx; static Real vy; static Real p; static Real vp;
implementation:
  static Real f; static Real g; static Real guide; static Real q; static Real vq;
  vx = der(x = x, start << 0.3*c);
  vy = der(x = y, start << 0.3*s);
  vp = der(x = p, start << 0.3*c + sqrt(0.64 - 0.09*s*s));
  vq = der(x = q, start << 0);
  der(x = vx, start << -0.3*w*s) = -f*x - g*(x - p);
  der(x = vy, start << 0.3*w*c) = -f*y - g*(y - q) - 9.81;
  3*der(x = vp, start << -0.3*w*s*(1 + 0.3*c/sqrt(0.64 - 0.09*s*s))) = -g*(p - x);
  3*der(x = vq, start << 0) = -g*(q - y) - guide - 3*9.81;
  q = 0;
  x^2 + y^2 = 0.09;
  (x - p)^2 + (y - q)^2 = 0.64;
end SliderCrank;
