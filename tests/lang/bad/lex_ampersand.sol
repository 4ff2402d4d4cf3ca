//! 5:12: error: unexpected character '&'
model A
implementation:
  Boolean a; Boolean b;
  a = true && b;
end A;
