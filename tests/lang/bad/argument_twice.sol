//! 11:14: error: 'x' is given twice
//! 11:32: error: 'u' is given twice
model B
interface:
  in Real u;
  out Real y;
end B;
model A
implementation:
  Real x;
  x = sin(1, x = 2) + B(u = 1, u = 2);
end A;
