//! 6:8: error: '<-' is a move; put a blank between '<' and '-' to compare
model A
implementation:
  Real x;
  x = 1;
  if x <-1 then
    cout << x;
  end;
end A;
