//! mode: instantiate
//! 5:17: error: 'T' would have 1000000000 elements; there may be 10000000
model A
interface:
  static Real T[1000000000];
implementation:
  for i in 1:1000000000 then T[i] = i; end for;
end A;
