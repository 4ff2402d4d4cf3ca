//! 23:16: error: a parameter has no parameter list: the instance is given from outside
//! 24:20: error: only a parameter of basic type has a default value
//! 31:13: error: 'b' cannot refer to this: public member 'x' is missing
//! 32:13: error: 'b' cannot refer to this: public member 'x' is missing
//! 33:13: error: 'b' needs a member to refer to
//! 34:14: error: an instance is needed here, not a value
//! 35:5: error: parameter 'b' of 'P' is missing
//! 19:15: note: the parameter
//! 36:13: error: 'R' is a package and has no instances
//! 37:13: error: unknown name 'Nothing'
model B
interface:
  Real x;
end B;
model C
end C;
model P
interface:
  parameter B b;
end P;
model Q
interface:
  parameter B b{};
  parameter B c << B{};
end Q;
package R
end R;
model A
implementation:
  C c;
  P p1{b << C{}};
  P p2{b << c};
  P p3{b << 1};
  P p4{b << B(1)};
  P p5;
  P p6{b << R};
  P p7{b << Nothing{}};
end A;
