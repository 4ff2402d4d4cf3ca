//! mode: instantiate
//! 31:8: note: the circuit of 'z' has no ground: its potential is set to 0 at z.b
//! 30:8: note: not connected, so that nothing flows there: 'y.b', 'z.a'
connector Port
interface:
  static potential Real u;
  static flow Real i;
end Port;

model Part
interface:
  static Port a;
  static Port b;
implementation:
  a.i + b.i = 0;
  a.u - b.u = a.i;
end Part;

model Reference
interface:
  static Port a;
implementation:
  a.u = 0;
end Reference;

model Top
implementation:
  Reference g;
  Part x;
  Part y;
  Part z;
  connection{a << g.a, b << x.a};
  connection{a << x.b, b << y.a};
  z.b.i = 0;
end Top;
