//! mode: instantiate
//! 11:3: error: too many equations: 2 for 1 variable; 'y = 3' is one too many
//! 10:3: note: equation 'x = 2*y'
//! 8:16: note: variable 'y'
//! 9:3: note: 'x' is determined by this transmission
model A
implementation:
  Real x; Real y;
  x << time;
  x = 2*y;
  y = 3;
end A;
