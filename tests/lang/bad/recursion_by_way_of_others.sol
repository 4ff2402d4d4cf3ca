//! 14:5: error: every 'A' contains another one without end: recursion needs a branch, or a dynamic or alias member without parameter list
//! 12:7: note: by way of 'C'
//! 8:7: note: by way of 'B'
model A
implementation:
  B b;
end A;
model B
implementation:
  C c;
end B;
model C
implementation:
  A a;
end C;
