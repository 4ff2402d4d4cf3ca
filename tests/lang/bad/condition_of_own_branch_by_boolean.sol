//! mode: instantiate
//! 8:3: error: this 'if' cannot be decided: its condition depends on the content of its own branches, or on something undetermined
//! 6:8: note: variable 'y'
model A
implementation:
  Real y; Boolean below;
  below = y < 5;
  if below then
    der(x = y) = 1;
  else then
    y = 5;
  end if;
end A;
