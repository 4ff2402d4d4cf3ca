//! 5:8: error: 'and' needs Booleans, not Integer
model A
implementation:
  Boolean b;
  b << 1 and true;
end A;
