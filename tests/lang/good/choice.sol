model Inside
interface:
  parameter Integer n << if true then 3 else 4;
  in Real x;
  out Real y;
implementation:
  y = if x > n then x else if x > 0 then 0.5*x else 0;
end Inside;
model A
  define most as if 2 > 1 then 5 else 6;
interface:

  static Real x;
  static Boolean up;
  static String word;
implementation:
  Inside part{n << if most > 4 then 1 else 2};
  part(if up then 1 else 2.5) = x;
  up << if time > 1 then x > 1 else if time > 0.5 then true else false;
  word << if up then "up" else "down";
  when (if up then time > 2 else time > 3) then cout << (if up then 1 else 2); end when;
  if (if up then x > 2 else false) then cout << x; end if;
end A;
