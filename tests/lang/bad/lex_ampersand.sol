//! 5:12: error: unexpected character '&': it is written 'and'
model A
implementation:
  Boolean a; Boolean b;
  a = true && b;
end A;
