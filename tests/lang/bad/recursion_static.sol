//! 4:5: error: every 'A' contains another one without end: recursion needs a branch, or a dynamic or alias member without parameter list
model A
implementation:
  A a;
end A;
