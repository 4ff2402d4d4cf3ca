connector Pin
interface:
  static potential Real v;
  static flow Real i;
end Pin;
model Car
interface:
  parameter Real k << 1;
  static Pin front;
  static Pin rear;
  static Real T[2];
implementation:
  T = k;
  front.v = T[1];
  rear.v = T[2];
end Car;
model Lane
interface:
  dynamic Car cars[];
  static Integer n;
  static Real all;
implementation:
  dynamic Car aside;
  alias Car first;
  when time > 1 then cars <- Car{k << 2}; cars <- Car; cars <- aside; cars << aside; end when;
  when time > 2 then trash <- cars[1]; aside <- cars[end - 1]; first << cars[1]; trash <- cars; end when;
  for c in cars then
    if cars[c - 1]? then connect(cars[c - 1].rear, c.front); end if;
    if cars[c + 2]? then static Real gap; gap = cars[c + 2].k - cars[c].k; else then trash <- c; end if;
  end for;
  n << size(cars) + sum(1 for c in cars);
  all = sum(c.k*c.T[1] for c in cars) + product(c.k for c in cars) + min(c.k for c in cars);
end Lane;
model Town
implementation:
  static Lane lane[3];
  for i in 1:3 then
    for c in lane[i].cars then
      if lane[i].cars[c + 1]? then end if;
    end for;
  end for;
  for l in lane then l.n = 3; end for;
end Town;
