// Reals that change at events only may be compared for equality.
model Counting
interface:
  parameter Real limit << 3.0;
implementation:
  Real count;
  Real mode;
  Real start;
  if initial() then
    start << time;
  end;
  when Sample(interval = 1) then
    count << pre(count) + 1;
  end;
  if limit == 3.0 then
    mode << 1.0;
  else then
    mode << 2.0;
  end;
  if count == limit then
    cout << mode;
  end;
  if mode <> 1.0 and start == 0.0 then
    cout << count;
  end;
end Counting;

// Aliases of any type: what a connection finds is decided by the instances.
connector Pin
interface:
  potential Real v;
  flow Real i;
end Pin;
model Join
interface:
  parameter alias Void left;
  parameter alias Void right;
implementation:
  connection{a << left, b << right};
end Join;
model Joined
implementation:
  Pin p; Pin q;
  Join join{left << p, right << q};
  p.v = 1;
  q.i = 2;
end Joined;
