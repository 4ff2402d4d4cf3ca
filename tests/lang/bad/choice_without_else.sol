//! 6:25: error: expected 'else' in this expression, found ';'
model A
interface:
  static Real x;
implementation:
  x = if time > 1 then 2;
end A;
