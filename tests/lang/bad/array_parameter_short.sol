//! mode: instantiate
//! 16:22: error: 'k' takes an array of 3 elements, not of 2
//! 17:22: error: 'k' takes an array of 1 elements, not of 2
//! 18:25: error: 'k' takes an array of 3 elements, not of 2
//! 19:25: error: 'k' takes an array of 2 elements, not of 3
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
  static B d[2]{n << 3, k << {{1, 2}, {3, 4}}};
  static B e[2]{n << 2, k << {{1, 2}, {3, 4}, {5, 6}}};
end A;
