//! 6:8: error: 'k' is a definition already
//! 4:10: note: the definition
model A
  define k as 1;
implementation:
  Real k;
end A;
