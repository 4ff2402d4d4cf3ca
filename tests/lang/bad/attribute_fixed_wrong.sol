//! 8:20: error: 'fixed' is true or false
//! 9:13: error: only Reals have 'fixed'
//! 10:20: error: a parameter has a value, not a start
//! 11:29: error: 'fixed' is true or false
model A
interface:
  static Real b;
  Real a {fixed << 1};
  Integer n{fixed << true};
  parameter Real p{start << 1, fixed << true} << 2;
  static Real c {fixed << b > 0};
implementation:
  a = 1; b = 1; c = 1; n << 1;
end A;
