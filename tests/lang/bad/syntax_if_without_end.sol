//! 5:3: error: 'if' without 'end'
model A
implementation:
  Real x;
  if time > 1 then
    x = 1;
end A;
