//! mode: instantiate
//! 10:28: error: there is no 'T[4]': its numbers go from 1 to 3
//! 11:7: error: there is no 'T[0]': its numbers go from 1 to 3
model A
interface:
  parameter Integer n << 3;
  static Real T[n];
  static Real x;
implementation:
  for i in 1:n then T[i] = T[i+1] + 1; end for;
  x = T[0];
end A;
