//! 13:7: error: unknown name 'pi'; Sol writes 'define pi as 3.141592653589793;', in front of 'interface:'
//! 13:10: error: unknown name 'ln'; Sol writes 'log(x)'
//! 14:7: error: unknown name 'pow'; Sol writes 'x^y'
//! 15:7: error: unknown name 'integer'; Sol writes 'floor(x)'
//! 16:7: error: unknown name 'zeros'; Sol writes '0': a number stands for all elements
//! 17:7: error: unknown name 'fill'; Sol writes '{x for i in 1:n}'
//! 18:7: error: unknown name 'linspace'; Sol writes '{a + (b - a)*(i - 1)/(n - 1) for i in 1:n}'
//! 19:7: error: unknown name 'Modelica'; Sol writes functions and packages of its library without a name in front: 'sin(x)'
//! 20:3: error: unknown name 'print'; Sol writes 'cout << x;'
model A
implementation:
  Real x; Real y; Real z; Real T[3];
  x = pi*ln(2);
  y = pow(2, 3);
  z = integer(3.5);
  T = zeros(3);
  T = fill(1, 3);
  T = linspace(0, 1, 3);
  x = Modelica.Math.sin(1);
  print(x);
end A;
