//! 7:21: error: a connector has no implementation, but inherits one
model M
implementation:
  Real x;
  x = 1;
end M;
connector C extends M;
end C;
