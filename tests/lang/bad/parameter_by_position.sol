//! 8:7: error: a parameter list needs names: 'name << value'
model B
interface:
  parameter Real p << 1;
end B;
model A
implementation:
  B b{1};
end A;
