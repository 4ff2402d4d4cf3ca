//! mode: instantiate
//! 9:3: error: 'y << z' depends on itself
//! 8:3: note: transmission 'x << y + 1'
//! 10:3: note: equation 'z = 2*x'
model A
implementation:
  Real x; Real y; Real z;
  x << y + 1;
  y << z;
  z = 2*x;
end A;
