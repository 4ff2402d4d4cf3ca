//! mode: instantiate
//! 5:27: error: 'a' takes an array of 3 elements, not of 1000000000
model Huge
interface:
  parameter Real a[3] << {i for i in 1:1000000000};
implementation:
  static Real x;
  x = a[1];
end Huge;
