connector Pin
interface:
  static potential Real v;
  static flow Real i;
end Pin;
partial model Body
interface:
  parameter Integer n << 2;
  parameter Real k[n] << 1;
  static Real x[n];
  static Real sum;
end Body;
model Heir extends Body;
interface:
  redeclare static Real x[n];
  static Pin p[n];
implementation:
  Real for;
  for = 1;
  sum = for;
  x = k + for;
  for i in 1:n then p[i].v = i; end for;
end Heir;
model A
interface:
  static Heir h[2, 3]{n << 3, k << {1, 2, 3}};
  static Real size;
  static Boolean up[2];
implementation:
  for i in 1:2 then
    for j in 1:3 then
      static Pin q;
      q.v = h[i, j].x[end];
      if h[i, j].x[1] > 1 then
        Real w[2];
        w = if time > 1 then {1, 2} else h[i, j].x[2:3];
      end if;
    end for;
    up[i] << h[i, 1].x[2] > 1 and i > 1;
    for m in 1:0 then cout << m; end for;
  end for;
  size = h[2, 3].x[1] + sum(h.sum);
end A;
