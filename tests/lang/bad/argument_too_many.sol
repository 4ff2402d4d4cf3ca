//! 12:14: error: too many values: 'sin' takes 1
//! 12:24: error: too many values: 'B' takes 1
//! 12:34: error: too many values: 'time' takes 0
model B
interface:
  in Real u;
  out Real y;
end B;
model A
implementation:
  Real x;
  x = sin(1, 2) + B(1, 2) + time(1);
end A;
