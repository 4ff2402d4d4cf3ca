//! 18:19: error: 'm' does not fit in the place of what it redeclares: public member 'y' is missing
//! 14:7: note: what it replaces
model Big
interface:
  Real x;
  Real y;
end Big;
model Small
interface:
  Real x;
end Small;
model B
interface:
  Big m;
end B;
model A extends B;
interface:
  redeclare Small m;
end A;
