//! 11:3: error: a second transmission to 'x' that is active together with the first
//! 7:3: note: the first one
model B
interface:
  Real x;
implementation:
  x << 1;
end B;
model A extends B;
implementation:
  x << 2;
end A;
