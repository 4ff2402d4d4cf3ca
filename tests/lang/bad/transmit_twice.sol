//! 7:3: error: a second transmission to 'x' that is active together with the first
//! 6:3: note: the first one
model A
implementation:
  Real x;
  x << 1;
  x << 2;
end A;
