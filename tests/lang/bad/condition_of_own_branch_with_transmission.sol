//! mode: instantiate
//! 7:3: error: this 'if' cannot be decided: its condition depends on the content of its own branches, or on something undetermined
//! 6:8: note: variable 's'
model A
implementation:
  Real s; Integer n;
  if s < 0 then
    s = time - 1;
    n << 1;
  else then
    s = time + 1;
  end if;
end A;
