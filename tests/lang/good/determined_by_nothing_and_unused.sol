//! mode: instantiate
//! 14:8: warning: nothing determines 'spare', and nothing uses it: it stays 0
//! 14:23: warning: nothing determines 'flag', and nothing uses it: it stays false
//! 9:8: warning: nothing determines 'rest', and nothing uses it: it stays 0
model Part
interface:
  Real seen;
implementation:
  Real rest;
  seen = 1;
end Part;
model A
implementation:
  Real spare; Boolean flag;
  Part p; Part q;
  Real y;
  y = p.seen + q.seen;
end A;
