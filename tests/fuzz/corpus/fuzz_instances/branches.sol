// Everything that flat writes beside equations: branches taken, undecided and pending, held and
// anonymous things, outputs, hints, start values from parameters and from variables.
model Half
interface:
  in Real u; out Real y;
implementation:
  2*y = u;
end Half;

model Pane
interface:
  in Real x; in Real y;
end Pane;

model Member
interface:
  parameter Real k;
  Real y;
implementation:
  y = k*time;
end Member;

model Branches
implementation:
  Real a; Real b; Real c; Real d; Real e;
  Boolean late;
  Integer mode;
  dynamic Member there{k << 2};
  dynamic Member gone;
  a = Half(u = time) + random(x = 0.2);
  b = der(x = c, start << a + 1);
  b = -c;
  d + e = 3; d - e = c*d;
  tearing(x = d);
  mode << 2;
  late << time > 1;
  if mode == 1 then
    Member one{k << 1};
  else if mode == 2 then
    Member two{k << 2};
  else then
    Member three{k << 3};
  end if;
  when late then
    gone <- Member{k << 5};
  end when;
  if there? and not gone? then
    cout << there.y;
  end if;
  cout << gone.y;
  Pane(x << a, y << b);
end Branches;
