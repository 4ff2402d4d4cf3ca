//! 5:1: error: 'interface' a second time, or in the wrong order
model A
implementation:
  Real x;
interface:
  Real y;
end A;
