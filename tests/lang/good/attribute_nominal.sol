//! mode: instantiate
model Inner
interface:
  parameter Real C << 1e-9;
  parameter Integer n << 3;
  static Real q {nominal << C/2};
  static Real T[n] {nominal << {C*i for i in 1:n}};
  static Real s[2] {nominal << C};
implementation:
  der(q) = -q;
  T = {1, 2, 3};
  s = {1, 2};
end Inner;
model Nominal
interface:
  parameter Real a[2] << {1e-3, 1e-6};
  static Inner part[2]{C << a};
  static Real x[2] {nominal << a};
implementation:
  x = {1, 2};
end Nominal;
