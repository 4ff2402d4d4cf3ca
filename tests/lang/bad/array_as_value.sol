//! 12:5: error: one value on the left, an array on the right
//! 13:5: error: one value on the left, an array on the right
//! 14:5: error: one value on the left, an array on the right
//! 15:5: error: one value on the left, an array on the right
//! 16:10: error: one value on the left, an array on the right
model A
interface:
  static Real T[3];
  static Real x;
implementation:
  T = {1, 2, 3};
  x = T;
  x = T + 1;
  x = sin(T[1:2]);
  x = {1, 2};
  der(x) = if x > 1 then T else 1;
end A;
