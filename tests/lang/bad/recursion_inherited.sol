//! 4:5: error: every 'A' contains another one without end: recursion needs a branch, or a dynamic or alias member without parameter list
model B
implementation:
  A a;
end B;
model A extends B;
end A;
