//! 4:9: error: a variable has no parameters
model A
implementation:
  Real x{};
end A;
