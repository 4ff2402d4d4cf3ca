//! 6:5: error: expected 'then' after the condition of 'if', found 'x'
model A
implementation:
  Real x;
  if time > 1
    x = 1;
  end;
end A;
