//! 6:8: error: letter directly after a number
model A
  define pi as 3.14;
implementation:
  Real x;
  x = 2pi;
end A;
