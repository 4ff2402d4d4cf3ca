// Models whose structure changes: engines exchanged, life forms that divide, cars that come and go.

connector Flange
interface:
  static potential Real phi;
  static flow Real t;
end Flange;

partial model Engine
interface:
  parameter Real mean;
  static Flange f;
end Engine;

model SteadyEngine extends Engine;
implementation:
  f.t = mean;
end SteadyEngine;

model PulsingEngine extends Engine;
implementation:
  static Real share;
  share = 1 + cos(x = f.phi);
  f.t = mean*share;
end PulsingEngine;

model Wheel
interface:
  parameter Real inertia;
  static Flange f;
  static Real w;
implementation:
  w = der(x = f.phi);
  -f.t = inertia*der(x = w);
end Wheel;

model Gear
interface:
  parameter Real ratio;
  static Flange f1; static Flange f2;
implementation:
  ratio*f1.phi = f2.phi;
  -f1.t = ratio*f2.t;
end Gear;

// The engine is exchanged by two branches ...
model MachineByBranch
implementation:
  static Wheel F{inertia << 1};
  static Gear G{ratio << 1.8};
  static Boolean fast;
  connection{a << G.f2, b << F.f};
  if fast then
    static SteadyEngine E{mean << 10};
    connection{a << E.f, b << G.f1};
  else then
    static PulsingEngine E{mean << 10};
    connection{a << E.f, b << G.f1};
  end;
  if initial() then
    fast << false;
  end;
  when F.w > 40 then
    fast << true;
  end;
end MachineByBranch;

// ... or by moving another one into its place.
model MachineByMove
implementation:
  static Wheel F{inertia << 1};
  static Gear G{ratio << 1.8};
  dynamic PulsingEngine E{mean << 10};
  E.f.phi = G.f1.phi;
  E.f.t + G.f1.t = 0;
  connection{a << G.f2, b << F.f};
  when F.w > 40 then
    E <- SteadyEngine{mean << 10};
  end;
end MachineByMove;

// ---- a population ----

model Tank
interface:
  parameter Real V;
  static potential Real N;
  static potential Real P;
  static flow Real f;
implementation:
  der(x = N, start << 0.2) = f/V;
  der(x = P, start << 0) = -f/V;
end Tank;

model Life
interface:
  parameter Real r;
  static potential Real N;
  static potential Real P;
  static flow Real f;
  static Real E;
  static Integer living;
implementation:
  static Boolean divided;
  static Boolean dead;
  static Real other;
  other << (0.9 + random(x = 0.2))*r;
  if dead then
    E = 0;
    f = 0;
    living << 0;
  else if divided then
    static Life one{r << r};
    static Life two{r << other};
    one.N = N; two.N = N;
    one.P = P; two.P = P;
    f = one.f + two.f;
    E = one.E + two.E;
    living << one.living + two.living;
  else then
    f = N*0.02*r;
    der(x = E, start << 1) = f*100 - 0.005 - P^2*(0.5 + r^2*100);
    living << 1;
  end;
  when E >= 2 then
    divided << true;
  end;
  when E < 0.5 then
    dead << true;
  end;
end Life;

model Population
interface:
  parameter Real litres << 50;
implementation:
  static Tank tank{V << litres};
  static Life root{r << 0.1};
  connection{a << tank, b << root};
end Population;

// ---- traffic ----

model Car
interface:
  static Real x;
  static Real v;
  static Real gap;
  static Real eager;
implementation:
  static Real a; static Real safe;
  static Integer brake;
  v = derState(x = x, start << 0);
  a = derState(x = v, start << 12.5);
  if initial() then
    brake << 0;
  else then
    when gap < safe then
      brake << 1;
    else when gap > 1.5*safe then
      brake << 0;
    end;
  end;
  safe = 2*v;
  a = (1 - brake)*eager*(25 - v) - brake*safe/max(a = gap - 2.5, b = 0.001)*50*eager;
end Car;

model Lane
interface:
  static Car c;
  dynamic Lane next;
implementation:
  static Boolean gone;
  c.eager << 0.2 + random(x = 0.1);
  if next? then
    c.gap << next.c.x - c.x;
    if next.c.x > 4000 then
      gone << true;
    else then
      gone << false;
    end;
  else then
    c.gap << 4000;
  end;
  when gone then
    trash <- next;
  end;
end Lane;

model Traffic
implementation:
  dynamic Lane first{};
  dynamic Lane waiting;
  when Sample(interval = 2.6) then
    waiting <- first;
  else then
    when waiting? then
      first <- Lane;
      if first? then first.next <- waiting; end;
    end;
  end;
end Traffic;

// ---- many that know nothing of each other ----

model Rectifier
  define pi as 3.141592653589793;
interface:
  parameter Real phase;
  static Real u;
  static Real extra;
implementation:
  static Real i; static Real iC; static Real u0; static Real uD;
  static Boolean conducting;
  i + extra = iC + u/50;
  iC = 0.001*der(x = u);
  u0 = sin(x = time*100*pi + phase);
  u0 = 10*i + uD + 0.2*der(x = i) + u;
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

model Rectifiers
interface:
  parameter Integer n;
implementation:
  static Rectifier r{phase << 0.01*n};
  r.extra = 0;
  if n > 1 then
    static Rectifiers rest{n << n - 1};
  end;
end Rectifiers;

model Alone
interface:
  parameter Integer n << 1;
implementation:
  static Rectifier r{phase << 0.01*n};
  r.extra = 0;
end Alone;

model Twenty
implementation:
  static Rectifiers all{n << 20};
end Twenty;

model Thousand
implementation:
  static Rectifiers all{n << 1000};
end Thousand;

// Two that are coupled by a resistor between 0.02 and 0.05.
model Coupled
implementation:
  static Rectifier a{phase << 0};
  static Rectifier b{phase << 1};
  a.extra + b.extra = 0;
  if time < 0.02 then
    a.extra = 0;
  else if time < 0.05 then
    a.extra = (b.u - a.u)/20;
  else then
    a.extra = 0;
  end;
end Coupled;

// A sampled controller of an unstable plant: u is held between samples.
model Sampled
implementation:
  static Real x; static Real u; static Integer n;
  der(x = x, start << 1) = x + u;
  when Sample(interval = 0.1) then
    u << -5*x;
    n << pre(x = n) + 1;
  end;
end Sampled;

// A mass on a belt, held by a spring: sticks until the spring is stronger than friction.
model StickSlip
implementation:
  static Real x; static Real v; static Real F;
  static Boolean sticks;
  static Integer slips;
  v = der(x = x);
  der(x = v, start << 1) = -x + F;
  if initial() then
    sticks << true;
  end;
  if sticks then
    v = 1;
  else then
    F = 0.5;
  end;
  when F > 1 then
    sticks << false;
    slips << pre(x = slips) + 1;
  else when v > 1 then
    sticks << true;
  end;
end StickSlip;
