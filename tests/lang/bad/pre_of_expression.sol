//! 5:14: error: 'pre' needs a variable
model A
implementation:
  Real x;
  when pre(x + 1) > 0 then
    x << 1;
  end;
end A;
