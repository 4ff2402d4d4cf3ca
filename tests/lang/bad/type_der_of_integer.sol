//! 7:11: error: 'der' of an Integer: it has no derivative
model A
implementation:
  Integer n;
  Real x;
  n << 1;
  x = der(n);
end A;
