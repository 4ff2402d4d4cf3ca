//! 3:15: error: circular: 'k' is needed to define itself
model A
  define k as k;
end A;
