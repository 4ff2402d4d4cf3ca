//! mode: instantiate
//! 13:7: error: an array of 4 elements meets one of 3
//! 13:3: note: the other one
//! 14:9: error: an array of 4 elements meets one of 3
//! 14:7: note: the other one
model A
interface:
  static Real S[3];
  static Real T[4];
  static Real x;
implementation:
  T = {1, 2, 3, 4};
  S = T;
  x = S*T;
end A;
