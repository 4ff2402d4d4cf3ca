//! mode: instantiate
//! 47:3: error: connection of arrays that differ: 'v' has 2 elements here, 4 there
//! 38:14: note: 'x.a.v' has 2 elements
//! 38:14: note: 'y.a.v' has 4 elements
//! 48:3: error: connection of arrays that differ: 'v' has 2 dimensions here, 1 there
//! 45:15: note: 'g.v' has 2 dimensions
//! 38:14: note: 'x.a.v' has 1 dimension
//! 49:3: error: connection of arrays that differ: 'v' has 1 dimension here, 0 there
//! 38:14: note: 'y.a.v' has 1 dimension
//! 46:14: note: 'p.v' has 0 dimensions
//! 50:3: error: connection of arrays that differ: 'wire' has 2 elements here, 4 there
//! 39:16: note: 'x.c.wire' has 2 elements
//! 39:16: note: 'y.c.wire' has 4 elements
connector Bus
interface:
  parameter Integer n << 3;
  static potential Real v[n];
  static flow Real i[n];
end Bus;
connector Grid
interface:
  static potential Real v[3, 2];
  static flow Real i[3, 2];
end Grid;
connector Pin
interface:
  static potential Real v;
  static flow Real i;
end Pin;
connector Cable
interface:
  parameter Integer n;
  static Bus wire[n];
end Cable;
model Part
interface:
  parameter Integer n;
  static Bus a{n << n};
  static Cable c{n << n};
end Part;
model Top
implementation:
  static Part x{n << 2};
  static Part y{n << 4};
  static Grid g;
  static Pin p;
  connection{a << x.a, b << y.a};
  connect(g, x.a);
  connect(y.a, p);
  connect(x.c, y.c);
end Top;
