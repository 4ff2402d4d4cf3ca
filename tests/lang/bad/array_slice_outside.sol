//! mode: instantiate
//! 12:12: error: there is no 'c[5]': its numbers go from 1 to 4
//! 12:12: error: there is no 'c[6]': its numbers go from 1 to 4
model Cell
interface:
  static Real T;
end Cell;
model Top
interface:
  static Cell c[4];
implementation:
  for x in c[2:6] then x.T = 1; end for;
  c[1].T = 1;
end Top;
