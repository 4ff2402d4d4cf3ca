//! 9:21: error: a parameter has a value, not a start
//! 10:10: error: 'stat' is no attribute of a variable; did you mean 'start'?
//! 11:10: error: an attribute needs its name: 'start << 1'
//! 12:22: error: 'start' is given twice
//! 13:22: error: the start is Real, but Integer is needed; round() makes an Integer
//! 14:22: error: the start is Integer, but Boolean is needed
model A
interface:
  parameter Real p {start << 2} << 1;
  Real a{stat << 1};
  Real b{1};
  Real c{start << 1, start << 2};
  Integer n{start << 1.5};
  Boolean d{start << 1};
implementation:
  a = 1; b = 1; c = 1; n << 1; d << true;
end A;
