//! 5:5: error: 'x' is Real and has no members
model A
implementation:
  Real x;
  x.y = 1;
end A;
