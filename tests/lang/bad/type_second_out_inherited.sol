//! 9:12: error: a second 'out' member: a model has one at most
//! 5:12: note: the first one
model B
interface:
  out Real x;
end B;
model A extends B;
interface:
  out Real y;
end A;
