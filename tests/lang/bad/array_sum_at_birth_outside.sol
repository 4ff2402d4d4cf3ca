//! mode: instantiate
//! 6:27: error: there is no 'a[4]': its numbers go from 1 to 3
model Top
interface:
  parameter Real a[3] << 1;
  parameter Real t << sum(a[i+1] for i in 1:size(a));
end Top;
