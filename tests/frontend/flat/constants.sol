// Constants of every type, written as the modeller would, wherever they stand.
model Gate
interface:
  parameter String name << "left";
  parameter Boolean open << true;
  Real q;
implementation:
  if open == false then q = 0; else then q = 1; end;
end Gate;

model Constants
implementation:
  String word; Boolean a; Boolean b; Boolean c; Integer n; Real x;
  Gate g{name << "right", open << false}; Gate h;
  word << "yes";
  a << word == "yes";
  b << a <> false and (n == 1 or true);
  c = (not (x > 1)) == true;
  n << 1;
  x = n;
  if "no" <> word then cout << "different"; end;
end Constants;
