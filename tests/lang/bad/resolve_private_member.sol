//! 11:13: error: 'x' is private in 'B'
//! 5:8: note: declared in the implementation
model B
implementation:
  Real x;
  x = 1;
end B;
model A
implementation:
  B b;
  cout << b.x;
end A;
