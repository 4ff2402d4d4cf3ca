//! 8:17: error: 'F' is a foreign function and cannot be extended
model F
  external "m" "f";
interface:
  in Real u;
  out Real y;
end F;
model G extends F;
end G;
