//! 6:3: error: every 'A' contains another one without end: recursion needs a branch, or a dynamic or alias member without parameter list
model A
interface:
  in Real u;
implementation:
  A(u = 1);
end A;
