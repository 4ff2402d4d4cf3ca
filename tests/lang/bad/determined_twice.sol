//! mode: instantiate
//! 10:3: error: too many equations: 2 for 1 variable; 'x = 1 - time' is one too many
//! 8:3: note: equation 'x = time'
//! 7:8: note: variable 'x'
model A
implementation:
  Real x; Real y;
  x = time;
  y = 2*x;
  x = 1 - time;
end A;
