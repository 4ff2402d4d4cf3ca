//! mode: instantiate
// Conditions that depend on what the branches say: two pieces of one equation, directly, through others, in a chain, by a conditional
// expression; and states that each branch differentiates.
model Part
interface:
  Real x; Boolean on;
implementation:
  if on then
    x = time;
  else then
    x = 2 - time;
  end if;
end Part;
model Curve
interface:
  Real u; Real i;
implementation:
  Real s;
  if s > 1 then
    u = 1; i = s;
  else if s < -1 then
    u = -1; i = s;
  else then
    u = s; i = 0;
  end if;
  u + i = 3;
end Curve;
model Choice
interface:
  Real u; Real i;
implementation:
  Real s; Boolean off;
  off = s < 0;
  u = if off then s else 0.5*s;
  i = if off then 0.25*s else s;
  u + 2*i = time;
end Choice;
model States
interface:
  Real x;
implementation:
  if x < 1 then
    der(x = x, start << 0.5) = 1;
  else then
    der(x = x) = -x;
  end if;
end States;
model A
implementation:
  Part p; Real twice; Curve c; Choice h; States z;
  twice = 2*p.x;
  p.on = twice > 1;
end A;
