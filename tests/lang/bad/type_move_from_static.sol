//! 8:8: error: 'b' is static and keeps its instance: only a dynamic member or an anonymous declaration can be moved
model B
end B;
model A
implementation:
  B b;
  dynamic B c;
  c <- b;
end A;
