//! 6:26: error: an alias parameter has no default value
model B
end B;
model A
interface:
  parameter alias B p << 1;
end A;
