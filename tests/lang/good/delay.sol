//! mode: check
connector Signal
interface:
  static potential Real v;
end Signal;
model Line
interface:
  parameter Real T << 0.5;
  parameter Real longest << 2;
  static Real x[3];
  static Real y[3];
  static Real w;
  static Signal s;
implementation:
  x = {time, 2*time, 3};
  y[1:2] = delay(x[1:2], T);
  y[3] = delay(x = x[3], T = 1 + y[1], longest = 2*longest);
  w = 1 + 0.5*delay(w, T/2) + delay(delay(time, T), 2*T);
  s.v = 1;
  if delay(s.v, 1) > 0.5 then
    Real inner;
    inner = delay(der(x[1]), T);
  end if;
  when delay(time, T) > 1 then end when;
end Line;
model Named
interface:
  static Real delay;
implementation:
  delay = 1;
end Named;
