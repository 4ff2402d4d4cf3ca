// Packages that inherit packages: what is inherited sees what the heir redefines, and nothing that
// the heir only adds.
package Fluid
  define rho0 as 1000.0;
  model Medium
  interface:
    Real p;
    Real rho;
  implementation:
    rho = rho0;
  end Medium;
  package Devices
    model Pipe
    interface:
      Medium inlet;
      Medium outlet;
      Real massFlow;
    implementation:
      massFlow = inlet.rho*(inlet.p - outlet.p);
    end Pipe;
    model Tank
    interface:
      parameter Real volume << 1.0;
      dynamic Pipe drain;
    end Tank;
  end Devices;
end Fluid;

package Gas extends Fluid;
  define R as 287.0;
  define Real0 as 0.0;
  redefine model Medium extends Medium;   // the Medium that it replaces
  interface:
    Real T;
  implementation:
    T = p/R/rho;
  end Medium;
end Gas;

package ColdGas extends Gas;
  model Sensor
  interface:
    parameter alias Medium m;
    out Real y;
  implementation:
    y = m.T;
  end Sensor;
end ColdGas;

model Plant
implementation:
  ColdGas.Devices.Pipe pipe;
  Fluid.Devices.Pipe waterPipe;
  ColdGas.Sensor sensor{m << pipe.inlet};
  Real T;
  T = sensor();
  pipe.inlet.T = 300.0;                   // only a Gas has a temperature
  pipe.inlet.p = 2e5;
  pipe.outlet.p = 1e5;
  waterPipe.inlet.p = pipe.inlet.p;
  waterPipe.outlet.p = pipe.outlet.p;
end Plant;

// A model may inherit from anything, add members, and replace inherited ones by sub-types.
model Vehicle
interface:
  Part engine{power << 10};
  Real speed;
implementation:
  speed = engine.power;
end Vehicle;

model Part
interface:
  parameter Real power;
end Part;

model Turbo extends Part;
interface:
  parameter Real boost << 1.5;
  Real pressure;
implementation:
  pressure = boost;
end Turbo;

model Racer extends Vehicle;
interface:
  redeclare Turbo engine{power << 99, boost << 2};
implementation:
  Real total;
  total = engine.pressure + speed;
end Racer;
