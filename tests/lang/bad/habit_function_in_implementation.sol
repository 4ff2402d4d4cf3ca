//! 6:3: error: a function stands in front of 'interface:', as 'function f(x) return x*x; end f;'
model A
interface:
  static Real y;
implementation:
  function square(x) = x*x;
  y = square(2);
end A;
