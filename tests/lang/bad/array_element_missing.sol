//! mode: instantiate
//! 5:15: error: nothing determines 'T[3]'
model A
interface:
  static Real T[3];
implementation:
  T[1:2] = 1;
end A;
