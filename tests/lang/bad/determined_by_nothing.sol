//! mode: instantiate
//! 5:8: error: nothing determines 'x'
model A
implementation:
  Real x; Real y;
  y << x;
end A;
