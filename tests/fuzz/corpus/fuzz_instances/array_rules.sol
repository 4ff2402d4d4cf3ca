//! mode: instantiate
// arrays by a rule: in equations, as parameters, for each instance, over elements, inside each other
model Cell
interface:
  parameter Real k << 1;
  static Real T;
  static Real v[2];
implementation:
  T = k;
  v = {k*j for j in 1:2};
end Cell;
function twice(x) return 2*x; end twice;
model Rules
interface:
  parameter Integer n << 4;
  parameter Real a[n] << {i^2 for i in 1:n};
  parameter Real b[2, n] << {{10*i + j for j in 1:n} for i in 1:2};
  parameter Real none[0] << {i for i in 1:0};
  parameter Boolean odd[n] << {mod(i, 2) == 1 for i in 1:n};
  static Cell c[n]{k << {1/i for i in 1:n}};
  static Real x[n] {start << {i for i in 1:n}};
  static Real y[3];
  static Real z[n];
  static Real w[2, 3];
  static Real q[n];
  static Real f[n];
  static Real i[2];
  static Real s;
implementation:
  x = {2*time*i for i in 1:n} + 1;
  y = {a[i] for i in 2:4};
  z = {d.T + d.v[1] + c[d].T for d in c};
  w = {{i*x[j] for j in 1:3} for i in 1:2};
  der(q) = {(if i < 3 then 1 else -q[i]) for i in 1:n};
  f = {twice(x[n+1-k]) for k in 1:n};
  i = {3, 4};
  s = sum({i for i in 1:n}) + {1, 2}*{i for i in 1:2} + i[1];
end Rules;
