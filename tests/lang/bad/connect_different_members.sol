//! mode: instantiate
//! 14:3: error: connection: 'h' has the potential 'T', which the other side has not
connector Pin
interface:
  potential Real u; flow Real i;
end Pin;
connector Hot extends Pin;
interface:
  potential Real T;
end Hot;
model A
implementation:
  Pin p; Hot h;
  connection{a << p, b << h};
end A;
