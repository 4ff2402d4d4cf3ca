//! 5:7: error: unknown name 'y'
model A
implementation:
  Real x;
  x = y + 1;
end A;
