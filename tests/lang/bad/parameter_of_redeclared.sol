//! 15:15: error: parameter 'p' of 'N' is missing
//! 7:18: note: the parameter
model M
end M;
model N
interface:
  parameter Real p;
end N;
model B
interface:
  M m;
end B;
model A extends B;
interface:
  redeclare N m;
end A;
