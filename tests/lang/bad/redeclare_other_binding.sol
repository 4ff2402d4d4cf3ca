//! 11:23: error: 'm' does not fit in the place of what it redeclares: member 'm' is dynamic, not static
//! 7:12: note: what it replaces
model M
end M;
model B
interface:
  static M m;
end B;
model A extends B;
interface:
  redeclare dynamic M m;
end A;
