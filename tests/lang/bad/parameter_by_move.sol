//! 8:7: error: a parameter takes a value by '<<', not by '<-'
model B
interface:
  parameter Real p;
end B;
model A
implementation:
  B b{p <- 1};
end A;
