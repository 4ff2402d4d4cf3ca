//! 6:8: error: '<' needs numbers, not String
model A
implementation:
  String s; Boolean b;
  s << "a";
  b << s < "b";
end A;
