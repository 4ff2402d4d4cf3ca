//! mode: instantiate
//! 14:3: error: this connection closes a cycle: 'a' is connected already
//! 12:3: note: through this connection
//! 13:3: note: through this connection
connector Pin
interface:
  potential Real u; flow Real i;
end Pin;
model A
implementation:
  Pin a; Pin b; Pin c;
  connection{a << a, b << b};
  connection{a << b, b << c};
  connection{a << c, b << a};
end A;
