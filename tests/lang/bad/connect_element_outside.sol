//! mode: instantiate
//! 23:53: error: there is no 'cell[4]': its numbers go from 1 to 3
//! 24:19: error: there is no 'port[0]': its numbers go from 1 to 2
//! 25:11: error: there is no 'port[3]': its numbers go from 1 to 2
connector Pin
interface:
  static potential Real v;
  static flow Real i;
end Pin;
model Cell
interface:
  static Pin p;
  static Pin n;
implementation:
  p.i + n.i = 0;
  p.v - n.v = p.i;
end Cell;
model Top
interface:
  static Cell cell[3];
  static Pin port[2];
implementation:
  for i in 1:3 then connection{a << cell[i].n, b << cell[i+1].p}; end for;
  connection{a << port[0], b << cell[1].p};
  connect(port[3], cell[3].n);
end Top;
