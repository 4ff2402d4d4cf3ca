//! 6:8: error: '<' needs numbers, not Boolean
//! 7:13: error: '==' cannot compare Boolean with Integer
model A
implementation:
  Boolean b; Boolean c;
  b << true < false;
  c << true == 1;
end A;
