//! 10:32: error: numbers are needed here, not Boolean
//! 15:19: error: 'k' takes one value, not an array with 1 size
//! 16:22: error: 'k' takes an array with another number of sizes, not an array with 2 sizes
//! 17:23: error: one branch of this expression is Integer, the other Boolean
//! 18:27: error: 'a' takes an array with another number of sizes, not an array with 2 sizes
model B
interface:
  parameter Real k;
  parameter Real a[2] << {1, 2};
  parameter Real s << sum(a[i] > 1 for i in 1:2);
implementation:
end B;
model C
implementation:
  static B b{k << {1, 2}};
  static B c[2]{k << {{1, 2}, {3, 4}}};
  static B d[2]{k << {1, true}};
  static B e{k << 1, a << {{1}}};
end C;
