//! 8:10: warning: 'x' hides the member around the branch
//! 5:8: note: the member that is hidden
model A
implementation:
  Real x;
  x = 1;
  if time > 1 then
    Real x;
    x = 2;
  end;
end A;
