//! 6:19: error: a connection joins members that are models
//! 6:27: error: a connection joins members that are models
model A
implementation:
  Real x; Real y;
  connection{a << x, b << y};
end A;
