//! mode: instantiate
//! 17:3: note: this connection says nothing new: 'a' is connected already
connector Pin
interface:
  potential Real u; flow Real i;
end Pin;
model Source
interface:
  Pin p;
implementation:
  p.u = 1;
end Source;
model A
implementation:
  Source s; Pin a; Pin c;
  connection{a << a, b << s.p}; connection{a << s.p, b << c};
  connection{a << c, b << a};
  a.i = 1; c.i = 2;
end A;
