//! 5:13: error: 'k' is a constant and has nothing inside
model A
  define k as 1;
implementation:
  cout << k.x;
end A;
