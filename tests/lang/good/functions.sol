function hypotenuse(a, b)
  s = a*a + b*b;
  return sqrt(s);
end hypotenuse;
package P
  define k as hypotenuse(3, 4);
  function twice(x) return 2*x; end twice;
  function thrice(x) return twice(x) + x*one(); end thrice;
  function one() return 1; end one;
  function choose(c, x, y) return if c then x else y; end choose;
end P;
package Q extends P;
  redefine function twice(x) return x + x; end twice;
end Q;
model A
interface:
  parameter Real p << hypotenuse(5, 12);
  static Real T[round(P.twice(2))];
  static Real x;
  static Real y;
  static Boolean b;
  static Real function;
implementation:
  T = Q.thrice(x + T[1:1]) + P.k;
  der(x, start << P.choose(true, 1, 2)) = P.choose(y > x, hypotenuse(x, der(function)), P.twice(x = 3*y));
  hypotenuse(y, 2) = 3;
  function = time^2;
  when hypotenuse(x, y) > p then b << P.choose(x > 1, true, false); end when;
end A;
