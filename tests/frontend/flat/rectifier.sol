// A half-wave rectifier with line inductance: diode, capacitor and load, and a switch of modes.
connector Pin
interface:
  potential Real u;
  flow Real i;
end Pin;

partial model TwoPole
interface:
  Pin p; Pin n;
implementation:
  Real u; Real i;
  u = p.u - n.u;
  i = p.i;
  p.i + n.i = 0;
end TwoPole;

model Earth
interface:
  Pin p;
implementation:
  p.u = 0;
end Earth;

model Supply extends TwoPole;
  define pi as 3.14159265;
interface:
  parameter Real peak; parameter Real hertz << 50;
implementation:
  u = peak*sin(2*pi*hertz*time);
end Supply;

model Resistor extends TwoPole;
interface:
  parameter Real R;
implementation:
  u = R*i;
end Resistor;

model Capacitor extends TwoPole;
interface:
  parameter Real C;
implementation:
  i = C*der(x = u, start << 0);
end Capacitor;

model Inductor extends TwoPole;
interface:
  parameter Real L;
implementation:
  u = L*der(x = i);
end Inductor;

model Diode extends TwoPole;
interface:
  parameter Boolean first << false;
implementation:
  Boolean conducts;
  if conducts then
    u = 0;
  else then
    i = 0;
  end if;
  if initial() then
    conducts << first;
  else then
    when i < 0 then
      conducts << false;
    else when u > 0 then
      conducts << true;
    end;
  end if;
end Diode;

model Rectifier
implementation:
  Earth earth; Supply supply{peak << 1}; Inductor line{L << 0.2}; Resistor loss{R << 10};
  Diode diode; Capacitor buffer{C << 1e-3}; Resistor load{R << 50};
  connection{a << earth.p, b << supply.n};
  connection{a << earth.p, b << buffer.n};
  connection{a << earth.p, b << load.n};
  connection{a << supply.p, b << line.p};
  connection{a << line.n, b << loss.p};
  connection{a << loss.n, b << diode.p};
  connection{a << diode.n, b << buffer.p};
  connection{a << buffer.p, b << load.p};
end Rectifier;
