//! 7:8: error: 'b' needs a member to refer to
model B
end B;
model A
implementation:
  alias B b;
  b << B{};
end A;
