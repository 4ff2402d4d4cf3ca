//! 6:6: error: 'B' is a definition; '?' asks for a member
model B
end B;
model A
implementation:
  if B? then
  end;
end A;
