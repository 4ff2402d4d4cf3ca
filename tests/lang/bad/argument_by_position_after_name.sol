//! 5:18: error: a value by position behind one by name
model A
implementation:
  Real x;
  x = max(b = 1, 2);
end A;
