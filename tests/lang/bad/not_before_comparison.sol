//! 8:12: error: 'not' needs a Boolean, not Real
//! 8:8: warning: 'not' binds tighter than the comparison: this is (not a) < b
model A
implementation:
  Real x;
  Boolean b;
  x = time;
  b << not x < 1;
end A;
