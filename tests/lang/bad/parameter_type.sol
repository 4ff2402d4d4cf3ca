//! 8:12: error: 'p' is Real, but Integer is needed; round() makes an Integer
model B
interface:
  parameter Integer p;
end B;
model A
implementation:
  B b{p << 1.5};
end A;
