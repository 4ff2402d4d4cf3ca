//! mode: instantiate
//! 18:26: error: Reference 'h' and Reference 'g' both fix the potential of one node: one of them is too many
connector Port
interface:
  static potential Real u;
  static flow Real i;
end Port;

model Reference
interface:
  static Port a;
implementation:
  a.u = 1;
end Reference;

model Top
implementation:
  Reference h; Reference g;
  connection{a << g.a, b << h.a};
end Top;
