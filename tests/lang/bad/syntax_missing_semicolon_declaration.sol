//! 4:9: error: expected ';' after the declaration
model A
implementation:
  Real x
  x = 1;
end A;
