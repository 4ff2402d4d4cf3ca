//! 4:10: error: in, out, potential and flow belong to members of an interface
model A
implementation:
  static in Real x;
end A;
