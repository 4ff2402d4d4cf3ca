//! mode: instantiate
//! 14:10: error: parameter 'k' is not known at instantiation
//! 14:17: note: 'x' has no value yet
model Part
interface:
  parameter Real k; Real y;
implementation:
  y = k;
end Part;
model A
implementation:
  Real x;
  x = sin(time);
  Part p{k << 2*x};
end A;
