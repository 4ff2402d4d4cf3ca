//! 3:16: error: this constant is not a finite number
model A
  define k as 1/0;
end A;
