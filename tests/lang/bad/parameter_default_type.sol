//! 4:26: error: the default value is Integer, but Boolean is needed
model A
interface:
  parameter Boolean p << 1;
end A;
