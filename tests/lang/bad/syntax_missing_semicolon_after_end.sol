//! 3:6: error: expected ';' after 'end'
model A
end A
model B
end B;
