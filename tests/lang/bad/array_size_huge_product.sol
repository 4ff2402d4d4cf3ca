//! mode: instantiate
//! 5:17: error: 'T' would have 1e+12 elements; there may be 10000000
model A
interface:
  static Real T[10000, 10000, 10000];
implementation:
  T = 1;
end A;
