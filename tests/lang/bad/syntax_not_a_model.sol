//! 2:1: error: expected 'model', 'package' or 'connector', found 'Real'
Real x;
model A
end A;
