//! 17:5: error: a subscript is Real, but Integer is needed; round() makes an Integer
//! 18:5: error: a subscript is Real, but Integer is needed; round() makes an Integer
//! 19:5: error: a subscript is made of parameters, constants and iterators: it never changes
//! 20:5: error: 'T' has 1 subscript, not 2
//! 21:5: error: 'x' is no array
//! 22:9: error: a subscript is Real, but Integer is needed; round() makes an Integer
//! 23:7: error: 'sin' is no array
//! 24:5: error: a subscript is Boolean, but Integer is needed
model A
interface:
  parameter Real p << 2;
  static Real T[3];
  static Real x;
  static Integer k;
implementation:
  T[1] = 1;
  T[2.5] = 2;
  T[p] = 3;
  T[k] = 4;
  T[1, 2] = 5;
  x[1] = 6;
  T[end + x] = 7;
  sin[1](x) = 3;
  T[true] = x;
end A;
