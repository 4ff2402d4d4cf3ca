//! 12:3: error: 'connect' needs 'b'
//! 13:3: error: a connection is written 'connect(x, y)'
//! 14:3: error: a connection of a member with itself
connector Pin
interface:
  static potential Real v;
  static flow Real i;
end Pin;
model A
implementation:
  static Pin p;
  connect(p);
  connect{a << p, b << p};
  connect(p, p);
end A;
