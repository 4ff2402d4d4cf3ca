//! 4:3: error: parameters belong to the interface
model A
implementation:
  parameter Real x;
end A;
