//! 12:11: error: 'sin' has no 'in' member 'y'; there is 'x'
//! 12:22: error: 'B' has no 'in' member 'v'; there is 'u'
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
