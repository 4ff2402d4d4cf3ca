//! mode: instantiate
//! 6:17: error: circular: 'n' is needed to create itself
model A
interface:
  parameter Integer n << size(T);
  static Real T[n];
implementation:
  T = 1;
end A;
