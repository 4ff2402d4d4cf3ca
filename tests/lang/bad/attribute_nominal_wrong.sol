//! 7:29: error: 'nominal' is a number above 0, made of constants and parameters: nominal << 1e5
//! 8:29: error: 'nominal' is a number above 0, made of constants and parameters: nominal << 1e5
//! 9:29: error: 'nominal' is a number above 0, made of constants and parameters: nominal << 1e5
//! 10:14: error: only Reals that vary have 'nominal'
model A
interface:
  static Real a {nominal << 0};
  static Real b {nominal << "large"};
  static Real c {nominal << a};
  Integer n {nominal << 2};
implementation:
  a = 1; b = 1; c = 1; n << 1;
end A;
