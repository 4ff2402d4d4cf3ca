//! mode: instantiate
//! 14:22: error: 'k' takes an array of 3 elements, not of 2
//! 15:22: error: 'k' takes an array of 1 elements, not of 2
model B
interface:
  parameter Integer n;
  parameter Real k[n];
  static Real y;
implementation:
  y = sum(k);
end B;
model A
implementation:
  static B b{n << 3, k << {1, 2}};
  static B c{n << 1, k << {1, 2}};
end A;
