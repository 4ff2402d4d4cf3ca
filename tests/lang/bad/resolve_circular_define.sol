//! 5:15: error: circular: 'a' is needed to define itself
model A
  define a as b + 1;
  define b as c*2;
  define c as a;
end A;
