//! 6:5: error: ':=' is not Sol: an equation is written '=', a value is given by '<<'
model A
interface:
  static Real x;
implementation:
  x := 1;
end A;
