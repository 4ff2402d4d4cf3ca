//! 8:7: error: 'b' is a model, not a value
model B
end B;
model A
implementation:
  B b;
  Real x;
  x = b + 1;
end A;
