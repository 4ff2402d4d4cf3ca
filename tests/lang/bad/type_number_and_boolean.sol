//! 5:19: error: '+' needs numbers, not Boolean
model A
implementation:
  Boolean b;
  b << time > 1 + true;
end A;
