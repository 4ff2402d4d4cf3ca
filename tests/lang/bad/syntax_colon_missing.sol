//! 4:3: error: expected ':' after 'implementation', found 'Real'
model A
implementation
  Real x;
  x = 1;
end A;
