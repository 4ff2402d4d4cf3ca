//! 6:26: error: only a parameter of basic type has a default value
model B
end B;
model A
interface:
  parameter alias B p << 1;
end A;
