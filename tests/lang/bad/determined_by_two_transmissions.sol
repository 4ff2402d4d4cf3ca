//! mode: instantiate
//! 10:5: error: more than one transmission determines 'p.x'
//! 16:3: note: transmission 'p.x << 2'
//! 7:8: note: variable 'p.x'
model Part
interface:
  Real x;
implementation:
  if initial() then
    x << 1;
  end if;
end Part;
model A
implementation:
  Part p;
  p.x << 2;
end A;
