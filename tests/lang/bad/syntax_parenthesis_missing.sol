//! 5:19: error: expected ')' or ',', found ';'
model A
implementation:
  Real x;
  x = sin(x = time;
end A;
