//! 5:5: error: an equation between Real and Boolean
model A
implementation:
  Real x;
  x = true;
end A;
