//! 12:23: error: one branch of this expression is Boolean, the other Integer
//! 14:10: error: a condition is Boolean, not Real
//! 15:8: error: one branch of this expression is Integer, the other Boolean
//! 16:10: error: unknown name 'y'
//! 17:8: error: one branch of this expression is String, the other Boolean
//! 17:3: error: a second transmission to 'b' that is active together with the first
//! 15:3: note: the first one
model A
interface:
  static Real x;
  static Boolean b;
  parameter Real p << if 1 < 2 then true else 4;
implementation:
  x = if time then 2 else 3;
  b << if time > 1 then 2 else false;
  x = if y > 1 then 2 else 3;
  b << if time > 2 then "no" else true;
end A;
