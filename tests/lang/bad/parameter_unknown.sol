//! 9:7: error: 'B' has no parameter 'p'
//! 10:7: error: 'B' has no parameter 'x'
model B
interface:
  Real x;
end B;
model A
implementation:
  B b{p << 1};
  B c{x << 1};
end A;
