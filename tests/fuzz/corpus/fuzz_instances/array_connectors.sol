//! mode: instantiate
connector Bus
interface:
  parameter Integer n << 3;
  static potential Real v[n];
  static flow Real i[n];
end Bus;
model Load
interface:
  parameter Real R << 1;
  static Bus p;
  static Bus n;
implementation:
  p.i + n.i = 0;
  for k in 1:3 then p.v[k] - n.v[k] = k*R*p.i[k]; end for;
end Load;
model Ground
interface:
  static Bus p;
implementation:
  p.v = 0;
end Ground;
model Source
interface:
  static Bus p;
implementation:
  p.v = {1, 2, 3};
end Source;
model Two
interface:
  static Bus p;
  static Bus n;
implementation:
  static Load a{R << 1};
  static Load b{R << 3};
  connect(p, a.p); connect(p, b.p); connect(a.n, n); connect(b.n, n);
end Two;
model Use
interface:
  static Source V; static Ground g; static Two two; static Load c[4];
implementation:
  connect(V.p, two.p);
  connect(two.n, c[1].p);
  for i in 1:3 then connect(c[i].n, c[i+1].p); end for;
  connect(c[4].n, g.p);
end Use;
connector Pin
interface:
  static potential Real v;
  static flow Real i;
end Pin;
connector Cable
interface:
  static Pin wire[2];
  static Bus bus;
end Cable;
model Line
interface:
  static Cable a;
  static Cable b;
implementation:
  a.wire.i + b.wire.i = 0;
  a.wire.v - b.wire.v = a.wire.i;
  a.bus.i + b.bus.i = 0;
  a.bus.v - b.bus.v = 2*a.bus.i;
end Line;
model Cables
interface:
  static Line x[3];
implementation:
  for k in 1:2 then connection{a << x[k].b, b << x[k+1].a}; end for;
  x[1].a.wire.v = {3, 6};
  x[3].b.wire.v = 0;
  x[1].a.bus.v = {3, 6, 9};
  x[3].b.bus.v = 0;
end Cables;
