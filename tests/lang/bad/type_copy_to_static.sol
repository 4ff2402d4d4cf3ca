//! 7:3: error: 'b' is static: only a dynamic member can be given another instance
model B
end B;
model A
implementation:
  B b; B c;
  b << c;
end A;
