//! 5:7: error: 'M' is already defined
//! 3:7: note: the other 'M'
model M
end M;
model M
end M;
