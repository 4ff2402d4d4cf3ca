//! 9:4: error: 'b' is a member; only a definition takes a parameter list here
model B
interface:
  in Real u;
end B;
model A
implementation:
  B b;
  b{}(u = 1);
end A;
