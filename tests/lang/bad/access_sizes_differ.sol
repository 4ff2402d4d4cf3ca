//! mode: instantiate
//! 19:16: error: an array of 4 elements meets one of 3
//! 19:7: note: the other one
//! 19:7: error: an array of 3 elements meets one of 2
//! 19:3: note: the other one
model Gain
interface:
  in Real u[3];
  out Real y[3];
implementation:
  y = 2*u;
end Gain;
model Top
interface:
  static Real x[4];
  static Real z[2];
implementation:
  x = 1;
  z = Gain(u = x);
end Top;
