//! 6:3: error: 'extends' comes first, directly after the name
model B
end B;
model A
  define k as 1;
  extends B;
end A;
