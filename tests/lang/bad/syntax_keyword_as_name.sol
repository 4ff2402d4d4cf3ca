//! 4:8: error: 'flow' is a word of the language and cannot be a name
model A
implementation:
  Real flow;
end A;
