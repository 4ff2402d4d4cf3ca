//! 8:15: error: parameter 'p' is given twice
model B
interface:
  parameter Real p;
end B;
model A
implementation:
  B b{p << 1, p << 2};
end A;
