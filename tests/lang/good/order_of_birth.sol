//! mode: instantiate
// The order of declarations means nothing, also where parameters need other members.
model Source
interface:
  parameter Real sum << first + second;
  parameter Real second << 2*first;
  parameter Real first;
  Real y;
implementation:
  y = sum*time;
end Source;

model Reader
interface:
  parameter alias Source from;
  Real x;
implementation:
  der(x = x, start << from.sum) = from.y;
end Reader;

model Ordered
implementation:
  Reader reader{from << scaled};
  Source scaled{first << plain.sum/level};
  Real level;
  Source plain{first << 3.0};
  level << 2.0;
  if time < 1 then
    Reader inner{from << local};
    Source local{first << scaled.first};
  end;
end Ordered;
