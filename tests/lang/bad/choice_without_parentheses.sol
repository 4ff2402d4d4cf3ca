//! 6:11: error: put 'if .. then .. else ..' in parentheses here
model A
interface:
  static Real x;
implementation:
  x = 1 + if time > 1 then 2 else 3;
end A;
