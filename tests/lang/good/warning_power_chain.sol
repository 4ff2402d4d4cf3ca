//! 5:10: warning: '^' groups to the left here: this is (a^b)^c
model A
implementation:
  Real x; Real y;
  x = 2^3^2;
  y = 2^(3^2);
end A;
