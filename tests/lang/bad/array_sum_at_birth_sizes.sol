//! mode: instantiate
//! 8:24: error: the sizes of the arrays differ
model Top
interface:
  parameter Integer n << 3;
  parameter Real a[n] << 1;
  parameter Real b[2] << 2;
  parameter Real t << a*b;
end Top;
