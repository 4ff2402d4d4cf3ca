//! 3:4: error: expected 'A' after 'end', found ';'
model A
end;
