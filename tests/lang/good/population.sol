// A tank and what lives in it. A life form that has eaten enough divides into two models of its
// own kind; one that starves dies.
connector Water
interface:
  potential Real food;
  potential Real waste;
  flow Real uptake;
end Water;

model Tank extends Water;
interface:
  parameter Real volume;
  parameter Real food0;
  parameter Real waste0;
implementation:
  der(x = food, start << food0) = uptake/volume;
  der(x = waste, start << waste0) = -uptake/volume;
end Tank;

model Being extends Water;
interface:
  parameter Real size;
  parameter Real rate;
  parameter Real gain;
  parameter Real upkeep;
  parameter Real poison;
  Real energy;
implementation:
  uptake = food*size*rate;
  der(x = energy, start << 1.0) = gain*uptake - upkeep - poison*waste^2;
end Being;

model Dividing extends Water;
  define size as 0.02;
  define gain as 100.0;
  define upkeep as 0.005;
interface:
  parameter Real rate;
  Real energy;
  Integer alive;
  Real sumOfRates;
implementation:
  Real poison;
  Real childRate;
  Boolean divided;
  Boolean dead;
  poison = 0.5 + gain*rate^2;
  childRate << rate*(0.9 + random(x = 0.2));
  if dead then
    energy = 0;
    uptake = 0;
    alive << 0;
    sumOfRates << 0;
  else if divided then
    Dividing one{rate << rate};
    Dividing two{rate << childRate};
    one.food = food;
    two.food = food;
    one.waste = waste;
    two.waste = waste;
    uptake = one.uptake + two.uptake;
    energy = one.energy + two.energy;
    alive << one.alive + two.alive;
    sumOfRates << one.sumOfRates + two.sumOfRates;
  else then
    uptake = food*size*rate;
    der(x = energy, start << 1.0) = gain*uptake - upkeep - poison*waste^2;
    alive << 1;
    sumOfRates << rate;
  end if;
  when energy >= 2 then
    divided << true;
  end;
  when energy < 0.5 then
    dead << true;
  end;
end Dividing;

model Hermit
implementation:
  Tank tank{volume << 1.0, food0 << 0.2, waste0 << 0.0};
  Being life{size << 0.02, rate << 0.1, gain << 100.0, upkeep << 0.005, poison << 1.5};
  connection{a << tank, b << life};
end Hermit;

model Population
implementation:
  Tank tank{volume << 1000.0, food0 << 0.2, waste0 << 0.0};
  Dividing first{rate << 0.1};
  connection{a << tank, b << first};
end Population;
