//! 12:11: error: 'sin' has no 'in' member 'y'
//! 12:22: error: 'B' has no 'in' member 'v'
model B
interface:
  in Real u;
  Real v;
  out Real y;
end B;
model A
implementation:
  Real x;
  x = sin(y = 1) + B(v = 1);
end A;
