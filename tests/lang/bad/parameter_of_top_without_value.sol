//! mode: instantiate
//! 5:18: error: parameter 'k' has no value
model A
interface:
  parameter Real k; Real y;
implementation:
  y = k;
end A;
