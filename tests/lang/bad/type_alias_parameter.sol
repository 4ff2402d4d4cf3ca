//! 16:12: error: 'b' cannot refer to this: public member 'x' is missing
//! 17:12: error: 'b' needs a member to refer to
model B
interface:
  Real x;
end B;
model C
end C;
model D
interface:
  parameter alias B b;
end D;
model A
implementation:
  C c;
  D d{b << c};
  D e{b << 1};
end A;
