//! 5:8: error: the value is Integer, but String is needed
model A
implementation:
  String s;
  s << 1;
end A;
