//! 6:7: error: 'pre' belongs in 'when' branches and conditions
model A
implementation:
  Real x; Real y;
  x << 1;
  y = pre(x);
end A;
