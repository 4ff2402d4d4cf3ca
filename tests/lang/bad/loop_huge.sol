//! mode: instantiate
//! 8:14: error: 'for' would have 2000000000 elements; there may be 10000000
model A
interface:
  static Real x;
implementation:
  x = 1;
  for i in 1:2000000000 then Real y; y = i; end for;
end A;
