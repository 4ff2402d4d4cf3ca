//! mode: instantiate
//! 34:8: note: the circuit of 'x' and 'y' has no ground: its potential is set to 0 at x.b
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
  a.u - b.u = a.i + 1;
end Part;

model Reference
interface:
  static Port a;
implementation:
  a.u = 0;
end Reference;

/* x and y go round by themselves, p and q are tied to the reference. */
model Top
implementation:
  Reference g;
  Part p;
  Part q;
  connection{a << g.a, b << p.a};
  connection{a << p.a, b << q.b};
  connection{a << p.b, b << q.a};
  Part x;
  Part y;
  connection{a << x.a, b << y.b};
  connection{a << x.b, b << y.a};
end Top;
