//! 15:5: error: 'b' is determined by itself; 'pre(b)' is its value before
//! 16:8: error: 'edge' needs a Boolean variable
//! 17:8: error: 'change' needs an Integer, Boolean or String: Reals vary
//! 18:15: error: 'pre' needs a variable
//! 19:16: error: a condition is Boolean, not Integer
//! 20:8: error: this is an array: a single value is needed here
//! 21:6: error: this is an array: a single value is needed here
model A
interface:
  static Real x;
  static Boolean b;
  static Integer n;
implementation:
  x = time;
  b << edge(b);
  when edge(x) then n << 1; end when;
  when change(x) then n << 2; end when;
  when edge(x > 1) then n << 3; end when;
  when {x > 1, n} then n << 4; end when;
  when {} then n << 5; end when;
  if {x > 1, x > 2} then x = 1; end if;
end A;
