//! 5:7: error: number too large
model A
implementation:
  Real x;
  x = 1.0e400;
end A;
