//! 13:3: error: an array of models is neither in nor out; arrays of variables are
//! 14:10: error: a flow must be Real: the flows of a node sum up to 0
//! 15:15: error: a dynamic array has no size: it is born empty, and written '[]'
//! 19:17: error: the size of an array is a number, not a range
//! 17:17: error: a size is Real, but Integer is needed; round() makes an Integer
//! 18:17: error: a size is Real, but Integer is needed; round() makes an Integer
//! 25:16: error: a parameter that is an array is given as a whole: 'k << {..}'
//! 25:25: error: parameter 'k' is given twice
model D
end D;
model B
interface:
  in D u[2];
  static flow Integer f[2];
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
