//! 6:7: error: elements by a rule are written 'for i in 1:n then x[i] = ...; end for;'
model A
interface:
  static Real x[3];
implementation:
  x = {2*time for i in 1:3};
end A;
