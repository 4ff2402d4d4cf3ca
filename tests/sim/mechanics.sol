// Mechanics with known answers.

// A ball that bounces: impacts at t1*(1 + 2*(e + e^2 + ...)), an accumulation of impacts at the end.
model BouncingBall
interface:
  parameter Real e << 0.7;
implementation:
  static Real h;
  static Real v;
  static Real vBefore;
  static Real vAfter;
  v = der(x = h, start << 1);
  if initial() then
    vAfter << 0;
  end;
  when h < 0 then
    vAfter << -e*vBefore;
  else then
    der(x = v, start << vAfter) = -9.81;
    vBefore << v;
  end;
end BouncingBall;

// A pendulum in Cartesian coordinates (index 3) whose string breaks at 5.
model BreakingPendulum
interface:
  parameter Real breaking << 5;
implementation:
  static Real x; static Real y; static Real vx; static Real vy;
  vx = der(x = x, start << 0.7071067811865476);
  vy = der(x = y, start << -0.7071067811865476);
  if time < breaking then
    static Real lambda;
    der(x = vx) = -lambda*x;
    der(x = vy) = -lambda*y - 9.81;
    x^2 + y^2 = 1;
  else then
    der(x = vx) = 0;
    der(x = vy) = -9.81;
  end;
end BreakingPendulum;

// The same in one angle.
model AnglePendulum
implementation:
  static Real phi; static Real w; static Real x; static Real y;
  w = der(x = phi, start << 0.7853981633974483);
  der(x = w) = -9.81*sin(x = phi);
  x = sin(x = phi);
  y = -cos(x = phi);
end AnglePendulum;

// A pendulum that goes round and round: states have to be selected anew on the way.
model Round
implementation:
  static Real x; static Real y; static Real vx; static Real vy; static Real lambda;
  static Real energy; static Real off;
  vx = der(x = x);
  vy = der(x = y, start << -1);
  der(x = vx, start << 7) = -lambda*x;
  der(x = vy) = -lambda*y - 9.81;
  x^2 + y^2 = 1;
  energy = (vx^2 + vy^2)/2 + 9.81*y;
  off = x^2 + y^2 - 1;
end Round;

// A pendulum that swings, in Cartesian coordinates.
model Swing
implementation:
  static Real x; static Real y; static Real vx; static Real vy; static Real lambda;
  static Real energy; static Real off;
  vx = der(x = x, start << 0.7071067811865476);
  vy = der(x = y, start << -0.7071067811865476);
  der(x = vx) = -lambda*x;
  der(x = vy) = -lambda*y - 9.81;
  x^2 + y^2 = 1;
  energy = (vx^2 + vy^2)/2 + 9.81*y;
  off = x^2 + y^2 - 1;
end Swing;

// The arm of a trebuchet with its hinged counterweight, until the rope is taut. Positive angles turn
// clockwise; forces are those on the bodies.
model ThrowingArm
implementation:
  static Real phi; static Real w; static Real psi; static Real u;
  static Real x1; static Real y1; static Real vx1; static Real vy1; static Real Fx1; static Real Fy1;
  static Real x2; static Real y2; static Real vx2; static Real vy2; static Real Fx2; static Real Fy2;
  static Real hx; static Real hy; static Real dx; static Real dy;
  static Real z; static Real z2; static Real total;
  static Real dist2;
  static Real wTaut; static Real uTaut;
  w = derState(x = phi, start << -1.1);
  z = derState(x = w, start << 0);
  u = derState(x = psi, start << 0);
  total = w + u;
  z2 = z + derState(x = u, start << 0);
  x1 = -10*cos(x = phi);           y1 = 9 + 10*sin(x = phi);
  hx = 2.5*cos(x = phi);           hy = 9 - 2.5*sin(x = phi);
  dx = -2*cos(x = phi + psi) - 1.5*sin(x = phi + psi);
  dy = 2*sin(x = phi + psi) - 1.5*cos(x = phi + psi);
  x2 = hx + dx;                    y2 = hy + dy;
  vx1 = der(x = x1);               vy1 = der(x = y1);
  vx2 = der(x = x2);               vy2 = der(x = y2);
  Fx1 = 100*der(x = vx1);          Fy1 = 100*der(x = vy1) + 100*9.81;
  Fx2 = 10000*der(x = vx2);        Fy2 = 10000*der(x = vy2) + 10000*9.81;
  12000*z2 = -dy*Fx2 + dx*Fy2;
  10*z + (y1 - 9)*Fx1 - x1*Fy1 + (hy - 9)*Fx2 - hx*Fy2 = 0;
  dist2 = (x1 + 1)^2 + y1^2;
  when dist2 >= 49 then
    wTaut << w;
    uTaut << u;
  end;
end ThrowingArm;
