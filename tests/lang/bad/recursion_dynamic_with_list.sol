//! 4:13: error: every 'A' contains another one without end: recursion needs a branch, or a dynamic or alias member without parameter list
model A
interface:
  dynamic A next{};
end A;
