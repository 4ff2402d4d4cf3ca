//! 5:16: error: comparisons do not chain: join them by 'and'
model A
implementation:
  Boolean b;
  b = 0 < time < 1;
end A;
