//! 5:8: error: expected ';' after the statement
model A
implementation:
  Real x;
  x = 1
  Real y;
  y = 2;
end A;
