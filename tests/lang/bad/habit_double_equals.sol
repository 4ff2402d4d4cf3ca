//! 6:5: error: '==' compares; an equation is written '='
model A
interface:
  static Real x;
implementation:
  x == 1;
end A;
