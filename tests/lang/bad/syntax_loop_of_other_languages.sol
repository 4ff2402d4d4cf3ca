//! 7:8: error: expected ';' after the declaration
//! 7:28: error: this 'end' closes nothing
//! 8:7: error: expected an expression, found ';'
model A
implementation:
  Real x;
  for i in 1:3 loop x = i; end for;
  x = ;
end A;
