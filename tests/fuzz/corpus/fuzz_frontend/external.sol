model F
  external "m" "f" derivative "g" constructor "h" destructor "i";
interface:
  in Real a;
  out Real y;
end F;
model B
interface:
  F f;
end B;
model A extends B;
interface:
  redeclare static F f;
implementation:
  Real x;
  x = f(a = 1) + table(x = time, file = "d.csv", column = 1);
end A;
