//! mode: instantiate
//! 9:30: error: 'nominal' of 'x' is 0: it must be above 0
//! 10:32: error: 'nominal' of 'y' is -1: it must be above 0
//! 11:33: error: 'z' takes an array of 2 elements, not of 3
model Value
interface:
  parameter Real size << 0;
  parameter Real each[2] << {1, -1};
  static Real x {nominal << 2*size};
  static Real y[2] {nominal << each};
  static Real z[2] {nominal << {1, 2, 3}};
implementation:
  x = time;
  y = {1, 2};
  z = {1, 2};
end Value;
