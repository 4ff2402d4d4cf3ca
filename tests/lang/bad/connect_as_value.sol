//! 9:7: error: 'connection' stands alone: 'connection{a << x, b << y}'
//! 10:7: error: 'tearing' stands alone: 'tearing(x = variable)'
//! 10:24: error: 'trash' only takes instances: 'trash <- member'
//! 10:32: error: 'cout' only takes values: 'cout << value'
//! 10:39: error: 'Real' is a type, not a value
model A
implementation:
  Real x;
  x = connection;
  x = tearing(x = 1) + trash + cout + Real;
end A;
