//! 7:5: error: these models have no variables that an equation could relate
model B
end B;
model A
implementation:
  B b; B c;
  b = c;
end A;
