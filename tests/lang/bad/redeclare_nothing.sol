//! 4:18: error: 'x' redeclares nothing: no such member is inherited
model A
interface:
  redeclare Real x;
end A;
