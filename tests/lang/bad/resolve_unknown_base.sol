//! 2:17: error: unknown name 'Nothing'
model A extends Nothing;
end A;
