//! 4:3: error: only models can be dynamic; 'x' is a variable
model A
implementation:
  dynamic Real x;
end A;
