//! mode: instantiate
//! 6:32: error: sums at birth have at most 10000000 terms together
model Top
interface:
  parameter Integer n << 9000000;
  parameter Real t << sum(sum(i*j for j in 1:n) for i in 1:n);
end Top;
