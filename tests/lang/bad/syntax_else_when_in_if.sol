//! 7:8: error: 'if' goes on with 'else if', not with 'else when'
model A
implementation:
  Real x;
  if time > 1 then
    x = 1;
  else when time > 2 then
    x = 2;
  end;
end A;
