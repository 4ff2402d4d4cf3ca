//! 9:3: error: 'trash' only takes instances: 'trash <- member'
model B
interface:
  Real x;
end B;
model A
implementation:
  dynamic B b;
  trash << b;
end A;
