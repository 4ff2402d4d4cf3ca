//! 8:7: error: unknown name 'pi'; Sol writes 'define pi as 3.141592653589793;', in front of 'interface:'
//! 8:10: error: unknown name 'ln'; Sol writes 'log(x)'
//! 9:7: error: unknown name 'pow'; Sol writes 'x^y'
//! 10:7: error: unknown name 'integer'; Sol writes 'floor(x)'
model A
implementation:
  Real x; Real y; Real z;
  x = pi*ln(2);
  y = pow(2, 3);
  z = integer(3.5);
end A;
