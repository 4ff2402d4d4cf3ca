//! 5:15: error: 'x' of 'sin' is Boolean, but a number is needed
model A
implementation:
  Real x;
  x = sin(x = true);
end A;
