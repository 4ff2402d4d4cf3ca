//! 6:12: error: a second 'out' member: a model has one at most
//! 5:12: note: the first one
model A
interface:
  out Real x;
  out Real y;
end A;
