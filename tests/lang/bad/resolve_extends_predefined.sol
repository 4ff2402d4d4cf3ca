//! 2:17: error: 'Real' is predefined and cannot be extended
model A extends Real;
end A;
