//! 6:15: warning: 'and' and 'or' bind alike and group to the left: this is (a or b) and c
model A
implementation:
  Boolean a; Boolean b; Boolean c; Boolean d;
  a << true;
  b << a or a and a;
  c << a and a or a;
  d << a or (a and a);
end A;
