//! 6:7: error: 'n' is determined by itself; 'pre(n)' is its value before
model A
implementation:
  Integer n;
  when time > 1 then
    n << n + 1;
  end;
end A;
