//! 3:3: error: expected 'interface:', 'implementation:' or 'end A', found 'Real'
model A
  Real x;
end A;
