//! 28:17: error: 'f' is a function and cannot be extended
//! 30:3: error: 'f' is a function, not a type
//! 34:7: error: 'f' needs 'y'
//! 35:15: error: too many values for 'f', or one by position behind one by name
//! 36:16: error: too many values for 'f', or one by position behind one by name
//! 37:16: error: 'f' has no value 'q'
//! 38:23: error: 'y' is given twice
//! 39:7: error: 'f' is a function: its values stand in parentheses
//! 40:7: error: 'f' is a function: its values stand in parentheses
//! 20:10: error: the function 'deep' calls itself
//! 23:10: error: 'der' cannot stand in a function
//! 23:19: error: 'time' cannot stand in a function
//! 23:26: error: unknown name 'z'
//! 43:13: error: a condition is Boolean, not Integer
function f(x, y)
  s = x + y;
  return s*s;
end f;
function deep(x)
  return deep(x) + 1;
end deep;
function state(x)
  return der(x) + time + z;
end state;
function types(b)
  return if b then 1 else 2;
end types;
model A extends f;
interface:
  f g;
  static Real x;
  static Real z;
implementation:
  x = f(1);
  x = f(1, 2, 3);
  x = f(y = 1, 2);
  x = f(y = 1, q = 2);
  x = f(y = 1, x = 2, y = 3);
  x = f{1, 2};
  x = f;
  x = deep(1);
  x = state(z);
  x = types(1);
  z = types(true);
end A;
