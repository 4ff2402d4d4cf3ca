//! 5:9: error: unexpected character '#'
model A
implementation:
  Real x;
  x = 1 # 2;
end A;
