//! 6:8: error: '==' compares Reals that vary continuously; use an inequality
model A
implementation:
  Real x;
  x = time;
  if x == 1.0 then
    cout << x;
  end;
end A;
