//! mode: instantiate
//! 16:7: error: an array of 2 elements meets one of 3
//! 16:3: note: the other one
//! 17:7: error: an array of 3 elements meets one of 2
//! 17:3: note: the other one
//! 17:3: error: there is no 'U[3]': its numbers go from 1 to 2
//! 18:8: error: an array of 2 elements meets one of 3
//! 18:3: note: the other one
model A
interface:
  static Real T[3];
  static Real U[2];
  static Real V[2, 3];
implementation:
  T[3] = 1;
  T = {1, 2};
  U = {1, 2, 3};
  V = {{1, 2}, {3, 4}};
end A;
