//! mode: instantiate
//! 22:5: error: this connection closes a cycle: 'x.p' is connected already
//! 19:3: note: through this connection
//! 20:3: note: through this connection
connector Pin
interface:
  potential Real u; flow Real i;
end Pin;
model Half
interface:
  Pin p; Pin q;
implementation:
  p.u = 1;
  p.i = 2;
end Half;
model A
implementation:
  Half x; Half y;
  connection{a << x.p, b << y.p};
  connection{a << y.p, b << y.q};
  if initial() then
    connection{a << y.q, b << x.p};
  end if;
end A;
