//! 3:22: error: expected 'derivative', 'constructor' or 'destructor', found 'inverse'
model A
  external "lib" "f" inverse "g";
end A;
