//! mode: instantiate
//! 9:3: error: this 'if' cannot be decided: its condition depends on the content of its own branches, or on something undetermined
//! 19:16: note: variable 'twice'
//! 7:8: note: variable 'p.x'
model Part
interface:
  Real x; Boolean on;
implementation:
  if on then
    static Real y;
    y = time;
    x = y;
  else then
    x = 2 - time;
  end if;
end Part;
model A
implementation:
  Part p; Real twice;
  twice = 2*p.x;
  p.on = twice > 1;
end A;
