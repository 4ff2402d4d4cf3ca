//! 5:3: error: 'else' without 'if' or 'when'
model A
implementation:
  Real x;
  else then
    x = 1;
end A;
