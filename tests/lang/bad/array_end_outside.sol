//! 9:14: error: expected an expression, found 'end'
//! 9:14: error: this 'end' closes nothing
model A
interface:
  static Real T[3];
  static Real x;
implementation:
  T = {1, 2, 3};
  x = T[3] + end;
end A;
