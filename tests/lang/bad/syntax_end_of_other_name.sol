//! 4:5: error: 'end B' closes 'A'
//! 3:7: note: 'A' begins here
model A
end B;
