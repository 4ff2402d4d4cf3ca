//! 5:16: error: nothing in parentheses behind a name: parameters stand in braces, a start value in the derivative: 'der(x, start << 1)'
//! 7:9: error: nothing in parentheses behind a name: parameters stand in braces, a start value in the derivative: 'der(x, start << 1)'
model A
interface:
  static Real y(start = 1);
implementation:
  Real x(start = 1);
  der(x) = y;
end A;
