//! mode: instantiate
//! 11:8: error: too few equations: 3 for 4 variables, 'p.a' among them
//! 11:16: note: variable 'p.b'
//! 11:8: note: variable 'q.a'
//! 11:16: note: variable 'q.b'
//! 13:3: note: equation 'p.a = 2*p.b'
//! 13:3: note: equation 'q.a = 2*q.b'
//! 18:3: note: equation 'p.a = q.b + 1'
model Part
interface:
  Real a; Real b;
implementation:
  a = 2*b;
end Part;
model A
implementation:
  Part p; Part q;
  p.a = q.b + 1;
end A;
