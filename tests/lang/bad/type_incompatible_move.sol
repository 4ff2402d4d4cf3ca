//! 14:8: error: 'b' cannot hold this: public member 'y' is missing
model Small
interface:
  Real x;
end Small;
model Big
interface:
  Real x;
  Real y;
end Big;
model A
implementation:
  dynamic Big b;
  b <- Small;
end A;
