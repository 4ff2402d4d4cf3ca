//! 6:5: error: only a member can stand left of '<<'
//! 7:4: error: only a member can stand left of '<<'
model A
implementation:
  Real x;
  x + 1 << 2;
  (x) << 3;
end A;
