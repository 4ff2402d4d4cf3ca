//! 8:12: error: every 'A' contains another one without end: recursion needs a branch, or a dynamic or alias member without parameter list
model B
interface:
  parameter A a;
end B;
model A
implementation:
  B b{a << A{}};
end A;
