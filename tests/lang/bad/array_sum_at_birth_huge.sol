//! mode: instantiate
//! 6:27: error: a sum at birth has at most 10000000 terms
model Top
interface:
  parameter Integer n << 1000000000;
  parameter Real t << sum(i for i in 1:n);
end Top;
