//! mode: instantiate
//! 9:3: error: 2 equations contradict each other
//! 9:3: note: equation 'T[2] = 1'
//! 10:3: note: equation 'T[2] = 2'
model A
interface:
  static Real T[3];
implementation:
  T = 1;
  T[2] = 2;
end A;
