//! 6:8: error: '=' is an equation; a comparison is written '==', '<=' or '>='
model A
implementation:
  Integer n;
  n = 1;
  if n = 1 then
    cout << n;
  end;
end A;
