//! 6:7: error: expected an expression, found ';'
//! 8:14: error: expected ')', found ';'
model A
implementation:
  Real x; Real y;
  x = ;
  y = 1;
  x = ( 1 + 2;
end A;
