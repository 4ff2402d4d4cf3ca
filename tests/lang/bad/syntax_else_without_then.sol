//! 8:5: error: the last branch begins with 'else then', found 'x'
model A
implementation:
  Real x;
  if time > 1 then
    x = 1;
  else
    x = 2;
  end;
end A;
