//! 4:10: error: ':=' is not Sol: an equation is written '=', a value is given by '<<'
model A
implementation:
  Real x := 1;
end A;
