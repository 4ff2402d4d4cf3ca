//! 5:27: error: 'x' redeclares nothing: no such member is inherited
model A
implementation:
  if time > 1 then
    redeclare static Real x;
  end;
end A;
