//! 6:7: error: 'x' is Real; only models are accessed by parentheses; a product is written with '*'
model A
implementation:
  Real x; Real y;
  x = 1;
  y = x(1);
end A;
