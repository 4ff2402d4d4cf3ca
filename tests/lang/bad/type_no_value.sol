//! 9:7: error: 'B' has no 'out' member and so no value
model B
interface:
  in Real u;
end B;
model A
implementation:
  Real x;
  x = B(u = 1);
end A;
