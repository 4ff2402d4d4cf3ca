//! 5:12: error: 'not' needs a Boolean, not Integer
model A
implementation:
  Boolean b;
  b << not 1;
end A;
