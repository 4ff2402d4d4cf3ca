//! 12:12: error: circular: 'b' is needed to create itself
//! 13:12: error: circular: 'e' is needed to create itself
model B
interface:
  parameter Real p;
  Real x;
end B;
model A
implementation:
  B b{p << c.p};
  B c{p << d.p + 1};
  B d{p << b.p};
  B e{p << e.x};
end A;
