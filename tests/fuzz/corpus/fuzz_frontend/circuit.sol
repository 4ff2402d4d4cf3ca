connector C
interface:
  potential Real u;
  flow Real i;
end C;
model R
interface:
  C p; C n;
  parameter Real R << 1;
implementation:
  p.u - n.u = R*p.i;
  p.i + n.i = 0;
end R;
model A
implementation:
  R r; R s{R << 2};
  connection{a << r.n, b << s.p};
  r.p.u = sin(time);
  s.n.u = 0;
  tearing(x = r.p.i);
  cout << r.p.i;
end A;
