//! 6:16: error: 'loop' is written 'then'
//! 7:7: error: expected an expression, found ';'
model A
implementation:
  Real x;
  for i in 1:3 loop x = i; end for;
  x = ;
end A;
