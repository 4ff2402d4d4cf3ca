//! 48:21: warning: a parameter and its value have different units: Ohm and m
//! 53:10: warning: the two sides have different units: m/s2 and m
//! 54:5: warning: the two sides have different units: km/h and m/s
//! 55:5: warning: the two sides have different units: J and m2/s2
//! 56:5: warning: the two sides have different units: J and m2/s2
//! 58:5: warning: the two sides have different units: K and m
//! 59:13: warning: the argument of a function is a number, but this is in m
//! 59:18: warning: the two arguments have different units: m and m/s
//! 60:10: warning: the two sides of this comparison have different units: m and m/s
//! 60:19: warning: a variable and its value have different units: m and m/s
//! 61:3: warning: the two ends have different units: V and m/s
//! 61:3: warning: the two ends have different units: A and N
//! 62:12: warning: the two terms have different units: m and m/s
//! 63:10: warning: the two values have different units: m and m/s
//! 64:16: warning: the two sides have different units: 0.001 A and A
connector Pin
interface:
  static potential Real v {unit << "V"};
  static flow Real i {unit << "A"};
end Pin;
connector Flange
interface:
  static potential Real v {unit << "m/s"};
  static flow Real i {unit << "N"};
end Flange;
model Resistor
interface:
  parameter Real R {unit << "Ohm"} << 1;
  static Pin p;
  static Pin n;
implementation:
  p.v - n.v = R*p.i;
  p.i + n.i = 0;
end Resistor;
package P
  define Length as Real {unit << "m"};
model A
interface:
  parameter Real C {unit << "mF"} << 1;
  static Length x {start << 1};
  static Real v {unit << "m/s"};
  static Real w {unit << "km/h"};
  static Real a {unit << "m/s2"};
  static Real T {unit << "K"};
  static Real phi {unit << "rad"};
  static Real open;
implementation:
  static Resistor r{R << x};
  static Flange f;
  static Real E {unit << "J"};
  der(x) = v;
  der(v) = a;
  der(v) = x;
  w = v;
  E = 0.5*v^2 + 9.81*x*open;
  E = 0.5*(2*v*v);
  a = 3.3*x;
  T = sqrt(x*x) + 300;
  phi = sin(x) + atan2(x, v) + x/x + sin(phi);
  when x > v then reinit(x, v); end when;
  connect(r.p, f);
  open = x + v;
  open = if x > 1 then x else v;
  C*der(r.p.v) = r.p.i;
end A;
end P;
