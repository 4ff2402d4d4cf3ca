//! 9:8: error: 'b' is an alias and owns no instance to move
//! 10:12: error: 'b' is an alias and owns no instance to move
model B
end B;
model A
implementation:
  alias B b;
  dynamic B c;
  c <- b;
  trash <- b;
end A;
