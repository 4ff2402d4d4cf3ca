//! 5:8: error: text without closing quotation mark in its line
model A
implementation:
  String s;
  s << "no end;
end A;
