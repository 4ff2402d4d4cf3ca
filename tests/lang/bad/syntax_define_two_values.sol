//! 3:10: error: expected 'define NAME as VALUE'
model A
  define 1 as 2;
end A;
