//! 14:8: error: 'b' cannot hold this: member 'x' is Boolean, not Real
model B
interface:
  Real x;
end B;
model C
interface:
  Boolean x;
end C;
model A
implementation:
  C c;
  dynamic B b;
  b << c;
end A;
