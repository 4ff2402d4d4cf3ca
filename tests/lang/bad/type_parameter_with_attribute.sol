//! 5:13: error: a parameter is neither in, out, potential nor flow
//! 6:3: error: a parameter cannot be dynamic
model A
interface:
  parameter in Real x;
  parameter dynamic Real y;
end A;
