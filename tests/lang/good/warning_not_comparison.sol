//! 6:8: warning: 'not' binds tighter than the comparison: this is (not a) == b
model A
implementation:
  Boolean a; Boolean b; Boolean c;
  a << true;
  b << not a == true;
  c << not (a == true);
end A;
