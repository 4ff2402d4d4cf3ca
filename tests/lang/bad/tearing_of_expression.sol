//! 6:17: error: 'tearing' needs a Real variable
//! 7:3: error: a hint is written 'tearing(x = variable)'
model A
implementation:
  Real x;
  tearing(x = x + 1);
  tearing{};
end A;
