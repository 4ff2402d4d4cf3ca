//! mode: instantiate
model Norm
interface:
  in Real u[3];
  out Real y;
implementation:
  y = sqrt(u*u);
end Norm;
model Gain
interface:
  parameter Real k << 2;
  parameter Integer n << 3;
  in Real u[n];
  out Real y[n];
implementation:
  y = k*u;
end Gain;
model Cross
interface:
  in Real a[3]; in Real b[3]; out Real c[3];
implementation:
  c = {a[2]*b[3] - a[3]*b[2], a[3]*b[1] - a[1]*b[3], a[1]*b[2] - a[2]*b[1]};
end Cross;
model M
interface:
  static Real x[3];
  static Real y[3];
  static Real z[3];
  static Real w[3];
  static Real r;
  static Real s;
  static Real h[3];
  static Gain g{k << 5};
  static Integer q[3];
implementation:
  x = {1, 2*time, 3};
  y = g(u = x);
  z = 2*Gain{k << 3}(x) + y;
  r = Norm(u = x) + sum(Gain{}(x));
  w = Cross(x, z);
  s = Norm(Cross(a = x, b = {1, 0, 0}));
  h << Gain{k << 1}(u << {1, 2, 3});
  for i in 1:3 then q[i] << i; end for;
end M;
