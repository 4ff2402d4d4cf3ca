//! 26:5: error: these models have no variables that an equation could relate
//! 27:5: error: an equation between models of different types: public member 'y' is missing
//! 28:3: error: 'c' is a model, not a value
//! 29:7: error: 'c' is a model, not a value
//! 30:3: error: 'c' is a model, not a value
//! 30:8: error: 'c2' is a model, not a value
//! 31:5: error: one value on the left, an array on the right
//! 33:3: error: 'C' and 'C' have no potential or flow member in common
model B
end B;
model C
interface:
  static Real x;
  parameter Real k << 1;
end C;
model D
interface:
  static Real x;
  static Real y;
end D;
model A
implementation:
  static B b; static B b2;
  static C c; static C c2; static C row[2];
  static D d;
  b = b2;
  c = d;
  c = 3;
  3 = c;
  c = -c2;
  c = row;
  row = c;
  connect(c, row);
end A;
