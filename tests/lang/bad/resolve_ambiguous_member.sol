//! 7:11: error: 'x' is already declared
//! 5:8: note: the other 'x'
model A
interface:
  Real x;
implementation:
  Integer x;
end A;
