//! mode: instantiate
//! 37:15: note: not connected, so that nothing flows there: 'x.b'
//! 33:7: error: Port 'own' of Top is not connected
//! 38:16: error: Signal 's' of Shown 'y' is not connected
connector Port
interface:
  static potential Real u;
  static flow Real i;
end Port;

connector Signal
interface:
  static potential Real u;
end Signal;

model Part
interface:
  static Port a;
  static Port b;
implementation:
  a.i + b.i = 0;
  a.u - b.u = a.i;
end Part;

model Shown
interface:
  static Signal s;
  static Real y;
implementation:
  y = 2*s.u;
end Shown;

model Top
interface:
  static Port own;
implementation:
  static Part x;
  static Shown y;
  connection{a << own, b << x.a};
end Top;
