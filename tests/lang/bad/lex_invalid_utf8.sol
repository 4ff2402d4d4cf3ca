//! 3:7: error: invalid UTF-8: this is no text
model A
// café
end A;
