//! 6:12: error: an alias has no parameter list: it owns no instance
model B
end B;
model A
implementation:
  alias B b{};
end A;
