// Small circuits whose trajectories are known in closed form or from an independent computation.

// A capacitor charged through a resistor by four sources in turn.
model FourModes
implementation:
  static Real R;
  static Real C;
  static Real i;
  static Real uC;
  static Real uR;
  static Real uS;
  static Integer mode;
  R = 100;
  C = 0.01;
  uC + uR + uS = 0;
  uR = R*i;
  i = C*der(x = uC);
  if time < 5 then
    mode << 0;
  else if time < 10 then
    mode << 1;
  else if time < 15 then
    mode << 2;
  else then
    mode << 3;
  end if;
  if mode == 0 then
    uS = 10;
  else if mode == 1 then
    static Real w;
    w = 5;
    uS = 10*cos(x = w*(time - 5));
  else if mode == 2 then
    i = -0.2;
  else then
    static Real R2;
    R2 = 1000;
    uS = R2*i;
  end if;
end FourModes;

// Two capacitors in parallel are one: index 2, one state.
model TwoCapacitors
implementation:
  static Real uR; static Real iR; static Real i1; static Real i2; static Real u1; static Real u2;
  uR = 100*iR;
  i1 = 0.001*der(x = u1);
  i2 = 0.002*der(x = u2);
  iR = i1 + i2;
  u1 = u2;
  uR + u1 = 10;
end TwoCapacitors;

// Half-wave rectifier with line inductance, ideal diode.
model Rectifier
  define pi as 3.141592653589793;
interface:
  parameter Real L << 0.2;
implementation:
  static Real i; static Real iC; static Real iR; static Real uC; static Real u0; static Real uL;
  static Real uD;
  static Boolean conducting;
  i = iC + iR;
  iC = 0.001*der(x = uC);
  uC = 50*iR;
  u0 = sin(x = time*100*pi);
  uL = L*der(x = i);
  u0 = 10*i + uD + uL + uC;
  if initial() then
    conducting << false;
  else then
    when i < 0 then
      conducting << false;
    else when uD > 0 then
      conducting << true;
    end;
  end;
  if conducting then
    uD = 0;
  else then
    i = 0;
  end if;
end Rectifier;

// Resistors between three sources, with a switch that closes at 0.05.
model Network
  define pi as 3.141592653589793;
implementation:
  static Real u1; static Real u2; static Real u3;
  static Real v1; static Real v2; static Real v3;
  static Real i1; static Real i12; static Real i2; static Real i23; static Real i3;
  static Boolean closed;
  u1 = 10*sin(x = time*pi*50);
  u2 = 5*sin(x = time*pi*30 + pi/4);
  u3 = 16*sin(x = time*pi*20 + pi/2);
  u1 - v1 = 10*i1;
  u1 - v2 = 20*i12;
  u2 - v2 = 30*i2;
  u3 - v2 = 40*i23;
  u3 - v3 = 50*i3;
  v3 - v2 = 70*i3;
  i1 + i12 + i2 + i23 + i3 = 0;
  closed << time > 0.05;
  if closed then
    v1 - v2 = 60*i1;
  else then
    i1 = 0;
  end if;
end Network;

// The number of states changes.
model Vanishing
implementation:
  static Real x;
  if time < 0.5 then
    der(x = x) = 10;
  else then
    x = -5;
  end;
end Vanishing;

// Boundary cases: a comparison exactly at zero when the phase starts.
model Boundary
implementation:
  static Real up; static Real down; static Integer above; static Integer below; static Real bend;
  static Integer later;
  der(x = up) = 1;
  der(x = down) = -1;
  bend = time*time;
  when up > 0 then above << pre(x = above) + 1; end;
  when down > 0 then below << pre(x = below) + 1; end;
  when bend > 0 then later << pre(x = later) + 1; end;
end Boundary;

// Whichever of a and b is the state, the one start value there is counts.
model StartElsewhere
implementation:
  static Real a; static Real b; static Real fa; static Real fb;
  der(x = a) = fa;
  fb = der(x = b, start << 3);
  fa + fb = -a;
  a = 2*b + b^3;
end StartElsewhere;

model StartElsewhereToo
implementation:
  static Real a; static Real b; static Real fa; static Real fb;
  der(x = b) = fb;
  fa = der(x = a, start << 33);
  fa + fb = -a;
  a = 2*b + b^3;
end StartElsewhereToo;

// More start values than states: derState goes first, the other is a first guess and a warning.
model StartTwice
implementation:
  static Real a; static Real b; static Real fa; static Real fb;
  fa = der(x = a, start << 1);
  fb = derState(x = b, start << 3);
  fa + fb = -a;
  a = 2*b + b^3;
end StartTwice;

// States that rest and a source that does not: the condition is driven by the clock alone.
model RestingStates
  define pi as 3.141592653589793;
implementation:
  static Real u; static Real i; static Real source; static Integer crossings;
  source = sin(x = 100*pi*time);
  i = 1000*der(x = u);
  i = (source - u)/1000;
  when source - u > 0.5 then
    crossings << pre(x = crossings) + 1;
  end;
end RestingStates;

// Runs away: x = 1/(1 - time).
model RunsAway
interface:
  static Real x;
implementation:
  der(x = x, start << 1) = x^2;
end RunsAway;

model Runs
implementation:
  static RunsAway part;
end Runs;

// Two conditions that wake each other for ever.
model Restless
implementation:
  static Boolean a;
  when a == false then
    a << true;
  else when a == true then
    a << false;
  end;
end Restless;

// Slides along its boundary: every event is followed by the next.
model Chatter
implementation:
  static Real x; static Real v;
  v = der(x = x, start << -0.5);
  if x > 0 then
    v = -1;
  else then
    v = 1;
  end;
end Chatter;

// Its condition depends on what its branches say.
model Circular
implementation:
  static Real x;
  if x > 0 then
    static Real y;
    y = 1;
    x = y;
  else then
    x = -1;
  end;
end Circular;
