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
