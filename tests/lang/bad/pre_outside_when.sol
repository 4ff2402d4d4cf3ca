//! 6:7: error: 'pre' of a Real belongs in 'when' branches, conditions and start values
model A
implementation:
  Real x; Real y;
  x << 1;
  y = pre(x);
end A;
