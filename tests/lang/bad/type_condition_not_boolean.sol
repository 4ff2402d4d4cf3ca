//! 4:6: error: a condition is Boolean, not Real
model A
implementation:
  if time then
    cout << time;
  end;
end A;
