//! mode: instantiate
//! 9:21: error: an array of 4 elements meets one of 3
//! 9:3: note: the other one
model Sizes
interface:
  parameter Integer n << 4;
  static Real x[3];
implementation:
  x = {i for i in 1:n};
end Sizes;
