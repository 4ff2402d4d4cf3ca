//! mode: instantiate
// A parameter of model type: the instance that is given, a member or one made for the purpose.
partial model Engine
interface:
  Real torque;
end Engine;

model Steady extends Engine;
interface:
  parameter Real level;
implementation:
  torque = level;
end Steady;

model Turbo extends Engine;
interface:
  parameter Engine inner;
  parameter Real boost << 1.5;
implementation:
  torque = boost*inner.torque;
end Turbo;

model Car
interface:
  parameter Engine engine;
  parameter Real m << 1000.0;
  Real v;
implementation:
  m*der(x = v, start << 0) = engine.torque;
end Car;

model Garage
implementation:
  Steady shared{level << 5};
  Car first{engine << shared};
  Car second{engine << Steady{level << 7}};
  Car third{m << 500.0, engine << Turbo{boost << 2.0, inner << Steady{level << first.m}}};
  when time > 1 then
    Car late{engine << Turbo{inner << shared}};
  end;
end Garage;
