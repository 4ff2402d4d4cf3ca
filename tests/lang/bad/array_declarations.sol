//! 11:3: error: an array is neither in, out, potential nor flow; connectors can be arrays
//! 12:10: error: an array is neither in, out, potential nor flow; connectors can be arrays
//! 13:15: error: a dynamic array has no size: it is born empty, and written '[]'
//! 17:17: error: the size of an array is a number, not a range
//! 15:17: error: a size is Real, but Integer is needed; round() makes an Integer
//! 16:17: error: a size is Real, but Integer is needed; round() makes an Integer
//! 23:16: error: a parameter that is an array is given as a whole: 'k << {..}'
//! 23:25: error: parameter 'k' is given twice
model B
interface:
  in Real u[2];
  static flow Real f[2];
  dynamic B b[2];
  parameter Real k[2];
  static Real y[x];
  static Real z[1.5];
  static Real w[2:3];
implementation:
  static Real x;
end B;
model C
implementation:
  static B b{k[1] << 3, k << 2};
end C;
