//! 5:7: error: integer too large: at most 2^53 is exact
model A
implementation:
  Real x;
  x = 99999999999999999999;
end A;
