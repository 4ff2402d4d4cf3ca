//! 2:17: error: circular: 'A' is needed to define itself
model A extends A;
end A;
