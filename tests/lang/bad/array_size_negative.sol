//! mode: instantiate
//! 6:17: error: the size of 'T' is -3
model A
interface:
  parameter Integer n << -3;
  static Real T[n];
  static Real x;
implementation:
  for i in 1:n then T[i] = i; end for;
  x = sum(T);
end A;
