//! 18:5: error: 2 dimensions on the left, 1 on the right
//! 19:5: error: 1 dimension on the left, 2 on the right
//! 20:5: error: 1 dimension on the left, 2 on the right
//! 21:5: error: one value on the left, an array on the right
//! 22:5: error: one value on the left, an array on the right
//! 23:5: error: 1 dimension on the left, 2 on the right
//! 24:5: error: one value on the left, an array on the right
//! 25:7: error: 'A' has no size number 3
//! 26:7: error: 'size' is asked of an array by its name: 'size(T)', 'size(T, 2)'
//! 27:15: error: the number of a size is a constant Integer
//! 28:5: error: one value on the left, an array on the right
model A
interface:
  static Real A[2, 2];
  static Real x[2];
  static Real y;
implementation:
  A = x;
  x = A;
  x = A + x;
  y = A*x;
  y = A*A*x;
  x = transpose(x);
  y = transpose(A);
  y = size(A, 3);
  y = size(y);
  y = size(A, x[1]);
  y << x;
end A;
