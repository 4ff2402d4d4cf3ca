//! 9:3: error: a connection of a member with itself
connector C
interface:
  potential Real u;
end C;
model A
implementation:
  C c;
  connection{a << c, b << c};
end A;
