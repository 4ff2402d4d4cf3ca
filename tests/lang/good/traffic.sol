// A lane of cars as a recursive list: each link owns the link of the car before it. Every 2.6 s
// a car enters; a car that has passed the end of the lane is taken out.
model Point
interface:
  in Real a;
  in Real b;
end Point;

partial model Car
interface:
  parameter Real x0;
  parameter Real v0;
  Real x;
implementation:
  Real v;
  Real a;
  v = derState(x = x, start << x0);
  a = derState(x = v, start << v0);
end Car;

model ControlledCar extends Car;
  define halfLength as 2.5;
  define smallest as 1e-3;
interface:
  parameter Real topSpeed;
  Real gap;
  Real eagerness;
implementation:
  Real hardest;
  Real wanted;
  Real free;
  Integer brake;
  if initial() then
    brake << 0;
  else then
    when gap < wanted then
      brake << 1;
    else when gap > 1.5*wanted then
      brake << 0;
    end;
  end;
  free = max(a = gap - halfLength, b = smallest);
  hardest = 2*eagerness*topSpeed;
  wanted = 2*v;
  a = (1 - brake)*eagerness*(topSpeed - v) - brake*hardest*wanted/free;
  Point(a << x, b << time);
end ControlledCar;

model Lane
  define length as 4000;
  define limit as 25.0;
interface:
  ControlledCar car{topSpeed << limit, x0 << 0, v0 << limit/2};
  dynamic Lane ahead;
implementation:
  Boolean leaves;
  car.eagerness << 0.2 + random(x = 0.1);
  if ahead? then
    car.gap << ahead.car.x - car.x;
    if ahead.car.x > length then
      leaves << true;
    else then
      leaves << false;
    end;
  else then
    car.gap << length;
  end;
  when leaves then
    trash <- ahead;
  end;
end Lane;

model Road
  define every as 2.6;
implementation:
  dynamic Lane last{};
  dynamic Lane waiting;
  when Sample(interval = every) then
    waiting <- last;
  else then
    when waiting? then
      last <- Lane;
      if last? then
        last.ahead <- waiting;
      end;
    end;
  end;
end Road;
