//! 9:3: error: 'b.p' is a parameter: its value is given where the instance is created
model B
interface:
  parameter Real p;
end B;
model A
implementation:
  B b{p << 1};
  b.p << 2;
end A;
