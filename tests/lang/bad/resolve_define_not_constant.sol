//! 3:15: error: 'time' is no constant
model A
  define k as time + 1;
end A;
