//! 9:8: error: 'x' is already declared; use 'redeclare' to replace it
//! 5:8: note: the other 'x'
model B
interface:
  Real x;
end B;
model A extends B;
interface:
  Real x;
end A;
