//! 5:8: error: expected an expression, found '-'
model A
implementation:
  Real x;
  x = --1;
end A;
