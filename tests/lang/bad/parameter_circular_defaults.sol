//! 5:25: error: circular: 'p' is needed to create itself
model A
interface:
  parameter Real p << q;
  parameter Real q << 2*p;
end A;
