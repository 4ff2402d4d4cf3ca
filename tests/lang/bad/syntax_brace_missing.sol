//! 8:13: error: expected '}' or ',', found ';'
model B
interface:
  parameter Real p;
end B;
model A
implementation:
  B b{p << 1;
end A;
