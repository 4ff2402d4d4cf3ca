//! 12:8: error: 'b' cannot refer to this: public member 'x' is missing
model B
interface:
  Real x;
end B;
model C
end C;
model A
implementation:
  C c;
  alias B b;
  b << c;
end A;
