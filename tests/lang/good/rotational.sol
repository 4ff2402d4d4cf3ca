// Rotational mechanics in one dimension: a template package, a package that inherits it, and a
// machine in four variants: flat, composed, with an engine in a branch, with a dynamic engine.
package Template
  package Interfaces
    connector Flange
    interface:
      static potential Real phi;
      static flow Real t;
    end Flange;
    partial model OneFlange
    interface:
      static Flange f;
    end OneFlange;
    partial model TwoFlanges
    interface:
      static Flange left;
      static Flange right;
    end TwoFlanges;
  end Interfaces;
end Template;

package Rotational extends Template;
  model SteadyEngine extends Interfaces.OneFlange;
  interface:
    parameter Real torque;
  implementation:
    f.t = torque;
  end SteadyEngine;

  model PistonEngine extends Interfaces.OneFlange;
  interface:
    parameter Real torque;
  implementation:
    static Real swing;
    swing = 1 + cos(x = f.phi);
    f.t = torque*swing;
  end PistonEngine;

  model FlyWheel extends Interfaces.OneFlange;
  interface:
    parameter Real inertia;
    static Real w;
  implementation:
    static Real z;
    w = der(x = f.phi);
    z = der(x = w);
    -f.t = inertia*z;
  end FlyWheel;

  model Gear extends Interfaces.TwoFlanges;
  interface:
    parameter Real ratio;
  implementation:
    right.phi = ratio*left.phi;
    left.t = -ratio*right.t;
  end Gear;
end Rotational;

model FlatMachine
implementation:
  static Real phi;
  static Real w;
  static Real z;
  static Real torque;
  static Real inertia;
  w = der(x = phi);
  z = der(x = w);
  inertia*z = torque;
  inertia = 1.0;
  torque = 2.5;
end FlatMachine;

model Machine
implementation:
  static Rotational.FlyWheel wheel{inertia << 1};
  static Rotational.Gear gear{ratio << 1.8};
  static Rotational.PistonEngine engine{torque << 10};
  connection{a << gear.right, b << wheel.f};
  connection{a << engine.f, b << gear.left};
end Machine;

model MachineByBranch
implementation:
  static Rotational.FlyWheel wheel{inertia << 1};
  static Rotational.Gear gear{ratio << 1.8};
  static Boolean fast;
  connection{a << gear.right, b << wheel.f};
  if fast then
    static Rotational.SteadyEngine engine{torque << 10};
    connection{a << engine.f, b << gear.left};
  else then
    static Rotational.PistonEngine engine{torque << 10};
    connection{a << engine.f, b << gear.left};
  end;
  if initial() then
    fast << false;
  end;
  when wheel.w > 40 then
    fast << true;
  end;
end MachineByBranch;

model MachineByBinding
implementation:
  static Rotational.FlyWheel wheel{inertia << 1};
  static Rotational.Gear gear{ratio << 1.8};
  dynamic Rotational.PistonEngine engine{torque << 10};
  connection{a << gear.right, b << wheel.f};
  engine.f.phi = gear.left.phi;
  engine.f.t + gear.left.t = 0;
  when wheel.w > 40 then
    engine <- Rotational.SteadyEngine{torque << 10};
  end;
end MachineByBinding;
