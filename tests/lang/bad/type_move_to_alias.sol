//! 7:3: error: 'b' is an alias: only a dynamic member can be given another instance
model B
end B;
model A
implementation:
  alias B b;
  b <- B{};
end A;
