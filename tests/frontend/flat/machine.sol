// A fly wheel behind a gear, driven by a piston engine; three connectors meet on the wheel's side.
connector Shaft
interface:
  static potential Real angle;
  static flow Real torque;
end Shaft;

partial model OneShaft
interface:
  static Shaft s;
end OneShaft;

model Wheel extends OneShaft;
interface:
  parameter Real inertia;
  static Real speed;
implementation:
  speed = der(x = s.angle, start << 0);
  -s.torque = inertia*der(x = speed, start << 0.5);
end Wheel;

model Brake extends OneShaft;
interface:
  parameter Real friction << 0.1;
implementation:
  static Real speed;
  speed = der(x = s.angle);
  s.torque = -friction*speed;
end Brake;

model Gear
interface:
  parameter Real ratio;
  static Shaft left;
  static Shaft right;
implementation:
  ratio*left.angle = right.angle;
  -left.torque = ratio*right.torque;
end Gear;

model Piston extends OneShaft;
interface:
  parameter Real mean;
implementation:
  static Real wave;
  wave = 1 + cos(x = s.angle);
  s.torque = mean*wave;
end Piston;

model Machine
implementation:
  static Wheel wheel{inertia << 1};
  static Gear gear{ratio << 1.8};
  static Piston engine{mean << 10};
  static Brake brake;
  connection{a << gear.right, b << wheel.s};
  connection{a << wheel.s, b << brake.s};
  connection{a << engine.s, b << gear.left};
end Machine;
