//! 3:12: error: expected 'as' in this definition, found '='
model A
  define k = 1;
end A;
