//! 4:10: error: only a parameter has a default value; a relation is a statement, a start is written 'x {start << 1}'
model A
implementation:
  Real x << 5;
end A;
