//! 4:10: error: only a parameter has a default value; write a relation of its own
model A
implementation:
  Real x << 5;
end A;
