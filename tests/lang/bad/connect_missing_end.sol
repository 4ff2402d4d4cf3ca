//! 12:3: error: 'connection' needs 'b'
//! 13:22: error: 'connection' has no parameter 'c'; there are 'a', 'b'
//! 14:30: error: 'a' is given twice
//! 15:3: error: a connection is written 'connection{a << x, b << y}'
connector C
interface:
  potential Real u;
end C;
model A
implementation:
  C c; C d;
  connection{a << c};
  connection{a << c, c << d};
  connection{a << c, b << d, a << d};
  connection(a = c, b = d);
end A;
