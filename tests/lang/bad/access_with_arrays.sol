//! 26:11: error: a foreign function takes and gives single values
//! 37:24: error: 'Gain' has arrays as in or out members: its parentheses stand in an equation, a transmission or alone, not inside an 'if', a condition or a sum
//! 38:6: error: 'Norm' has arrays as in or out members: its parentheses stand in an equation, a transmission or alone, not inside an 'if', a condition or a sum
//! 39:5: error: one value on the left, an array on the right
//! 40:15: error: too many values: 'Norm' takes 1
//! 41:12: error: 'u' is given twice
//! 42:5: error: 'Gain' has no 'in' member 'v'; there is 'u'
//! 43:9: error: only '=' and '<<' can stand in parentheses
model Gain
interface:
  in Real u[3];
  out Real y[3];
implementation:
  y = 2*u;
end Gain;
model Norm
interface:
  in Real u[3];
  out Real y;
implementation:
  y = sqrt(u*u);
end Norm;
model Call
  external "libm.so.6" "hypot";
interface:
  in Real a[2];
  out Real y;
end Call;
model Top
interface:
  static Real x[3];
  static Real z[3];
  static Real r;
  static Gain g;
implementation:
  x = 1;
  z = if time > 1 then g(u = x) else x;
  if Norm(u = x) > 1 then r = 1; else then r = 2; end if;
  r = g(u = x);
  z = Norm(x, 3);
  g(u = x, u = z);
  g(v = x);
  z = g(u <- x);
end Top;
