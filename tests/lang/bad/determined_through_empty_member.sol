//! mode: instantiate
//! 12:24: error: nothing determines 'y'
//! 13:3: note: this does not exist now: a member on its path is empty
model Part
interface:
  Real x;
implementation:
  x = time;
end Part;
model A
implementation:
  dynamic Part p; Real y;
  y = p.x;
end A;
