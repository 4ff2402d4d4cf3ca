//! 5:7: warning: '-' binds tighter than '^' here: this is the power of the negative value
model A
implementation:
  Real x; Real y; Real z;
  x = -2^2;
  y = (-2)^2;
  z = -(2^2);
end A;
