//! 18:41: warning: a parameter and its value have different units: V and Ohm
//! 26:5: warning: the two sides have different units: A and V
//! 28:16: warning: the two terms have different units: V and A
//! 29:8: warning: the two sides have different units: A and V
//! 33:5: warning: the two sides have different units: A and V
model Cell
interface:
  static Real u {unit << "V"};
implementation:
  u = 3;
end Cell;
model Units
interface:
  static Real u[3] {unit << "V"};
  static Real i[3] {unit << "A"};
  parameter Real R[3] {unit << "Ohm"} << {1, 2, 3};
  parameter Real all {unit << "Ohm"} << sum(R) + sum(2*r for r in R);
  parameter Real wrong {unit << "V"} << sum(2*R);
  static Real s {unit << "A"};
  static Real P {unit << "W"};
  static Real t;
  static Real z {unit << "A"};
  static Real most {unit << "A"};
  static Real right {unit << "V"};
implementation:
  s = sum(u);
  P = u*i;
  t = sum(u[k] + i[k] for k in 1:3);
  most = max(u);
  right = sum(i[k]*R[k] for k in 1:3) + max(u) + u[1] + sum(c.u for c in cells);
  dynamic Cell cells[];
  when time > 1 then cells <- Cell; end when;
  z = sum(c.u for c in cells);
end Units;
