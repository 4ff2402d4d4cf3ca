//! 16:7: error: written 'sum(T)' for an array T, or 'sum(e for i in 1:n)'
//! 17:7: error: written 'sum(T)' for an array T, or 'sum(e for i in 1:n)'
//! 18:24: error: a bound of 'for' is Real, but Integer is needed; round() makes an Integer
//! 19:11: error: numbers are needed here, not Boolean
//! 20:17: error: 'for' stands in sum, product, min and max only
//! 20:11: error: unknown name 'i'
//! 21:7: error: 'product' needs 'x'
//! 22:7: error: between 1 and 1000 elements can be listed
//! 23:8: error: the elements of an array have no names
model A
interface:
  static Real x[2];
  static Real y;
  static Boolean b[2];
implementation:
  y = sum(y);
  y = sum(1, 2);
  y = sum(i for i in 1:y);
  y = sum(b);
  y = sin(i for i in 1:2);
  y = product();
  x = {};
  x = {a << 1, 2};
end A;
