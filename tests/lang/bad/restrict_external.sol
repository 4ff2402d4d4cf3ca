//! 9:1: error: a foreign function has no implementation
//! 5:3: error: a foreign function needs an 'out' member
//! 7:8: error: a member of a foreign function is parameter, in or out
model F
  external "m" "f";
interface:
  Real x;
  in Real u;
implementation:
  x = u;
end F;
