//! 13:3: error: 'C' and 'D' have no potential or flow member in common
connector C
interface:
  potential Real u;
end C;
connector D
interface:
  potential Real v;
end D;
model A
implementation:
  C c; D d;
  connection{a << c, b << d};
end A;
