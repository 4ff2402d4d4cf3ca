//! 9:5: error: no member 'y' in 'B'; there is 'x'
model B
interface:
  Real x;
end B;
model A
implementation:
  B b;
  b.y = 1;
end A;
