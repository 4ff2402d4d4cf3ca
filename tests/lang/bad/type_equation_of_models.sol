//! 8:3: error: 'b' is a model, not a value
//! 8:7: error: 'c' is a model, not a value
model B
end B;
model A
implementation:
  B b; B c;
  b = c;
end A;
