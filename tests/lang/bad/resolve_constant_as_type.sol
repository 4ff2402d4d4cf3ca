//! 5:3: error: 'k' is a constant, not a type
model A
  define k as 1;
implementation:
  k x;
end A;
