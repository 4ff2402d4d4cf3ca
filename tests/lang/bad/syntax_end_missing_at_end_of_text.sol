//! 2:7: error: 'A' without 'end A'
model A
implementation:
  Real x;
