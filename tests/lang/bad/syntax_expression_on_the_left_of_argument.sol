//! 5:20: error: only a name can stand left of '=' in a list
model A
implementation:
  Real x;
  x = sin(time + 1 = 2);
end A;
