//! mode: instantiate
//! 13:5: error: more than one transmission determines 'x'
//! 10:5: note: transmission 'x << 1'
//! 7:8: note: variable 'x'
model A
implementation:
  Real x; Boolean b;
  b << true;
  if b then
    x << 1;
  end if;
  if initial() then
    x << 2;
  end if;
end A;
