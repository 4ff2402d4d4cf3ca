//! 5:1: error: a connector has no implementation
connector C
interface:
  Real x;
implementation:
  x = 1;
end C;
