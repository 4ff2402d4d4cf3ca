// Stiff problems of the Test Set for IVP Solvers.
model VanDerPol
implementation:
  static Real x; static Real v;
  v = der(x = x, start << 2);
  der(x = v) = 1000*(1 - x^2)*v - x;
end VanDerPol;

model Robertson
implementation:
  static Real a; static Real b; static Real c;
  der(x = a, start << 1) = -0.04*a + 1e4*b*c;
  der(x = b) = 0.04*a - 1e4*b*c - 3e7*b^2;
  a + b + c = 1;
end Robertson;

connector Pin
interface:
  static potential Real u;
  static flow Real i;
end Pin;

model Resistor
interface:
  parameter Real R;
  static Pin p; static Pin n;
implementation:
  p.u - n.u = R*p.i;
  p.i + n.i = 0;
end Resistor;

model Capacitor
interface:
  parameter Real C;
  parameter Real u0 << 0;
  static Pin p; static Pin n;
implementation:
  static Real u;
  u = p.u - n.u;
  p.i = C*der(x = u, start << u0);
  p.i + n.i = 0;
end Capacitor;

// base, collector, emitter: the emitter current is g, of which alpha comes from the collector
model Transistor
interface:
  static Pin b; static Pin c; static Pin e;
implementation:
  static Real g;
  g = 1e-6*(exp(x = (b.u - e.u)/0.026) - 1);
  b.i = 0.01*g;
  c.i = 0.99*g;
  e.i = -g;
end Transistor;

model Supply
interface:
  static Pin p;
  static Real u;
implementation:
  p.u = u;
end Supply;

model Amplifier
implementation:
  static Supply ground; static Supply battery; static Supply signal;
  static Resistor R0{R << 1000};
  static Resistor R1{R << 9000}; static Resistor R2{R << 9000}; static Resistor R3{R << 9000};
  static Resistor R4{R << 9000}; static Resistor R5{R << 9000}; static Resistor R6{R << 9000};
  static Resistor R7{R << 9000}; static Resistor R8{R << 9000}; static Resistor R9{R << 9000};
  static Capacitor C1{C << 1e-6, u0 << -3};
  static Capacitor C2{C << 2e-6, u0 << 3};
  static Capacitor C3{C << 3e-6, u0 << 3};
  static Capacitor C4{C << 4e-6, u0 << 3};
  static Capacitor C5{C << 5e-6, u0 << 6};
  static Transistor T1; static Transistor T2;
  ground.u = 0;
  battery.u = 6;
  signal.u = 0.1*sin(x = 200*3.141592653589793*time);
  connection{a << signal.p, b << R0.p};
  connection{a << R0.n, b << C1.p};
  connection{a << C1.n, b << T1.b};
  connection{a << T1.b, b << R1.p};
  connection{a << T1.b, b << R2.n};
  connection{a << T1.e, b << R3.p};
  connection{a << T1.e, b << C2.p};
  connection{a << T1.c, b << R4.n};
  connection{a << T1.c, b << C3.p};
  connection{a << C3.n, b << T2.b};
  connection{a << T2.b, b << R5.p};
  connection{a << T2.b, b << R6.n};
  connection{a << T2.e, b << R7.p};
  connection{a << T2.e, b << C4.p};
  connection{a << T2.c, b << R8.n};
  connection{a << T2.c, b << C5.p};
  connection{a << C5.n, b << R9.p};
  connection{a << battery.p, b << R2.p};
  connection{a << battery.p, b << R4.p};
  connection{a << battery.p, b << R6.p};
  connection{a << battery.p, b << R8.p};
  connection{a << ground.p, b << R1.n};
  connection{a << ground.p, b << R3.n};
  connection{a << ground.p, b << C2.n};
  connection{a << ground.p, b << R5.n};
  connection{a << ground.p, b << R7.n};
  connection{a << ground.p, b << C4.n};
  connection{a << ground.p, b << R9.n};
end Amplifier;

// The car axis problem: index 3, a constraint that depends on time, stiff springs. Nothing says what should be a state, and at
// the start yb is 0, so that the constraint does not tell yl.
model CarAxis
implementation:
  static Real xl; static Real yl; static Real xr; static Real yr;
  static Real vxl; static Real vyl; static Real vxr; static Real vyr;
  static Real xb; static Real yb; static Real left; static Real right;
  static Real lam1; static Real lam2;
  yb = 0.1*sin(x = 10*time);
  xb = sqrt(x = 1 - yb^2);
  left = sqrt(x = xl^2 + yl^2);
  right = sqrt(x = (xr - xb)^2 + (yr - yb)^2);
  vxl = der(x = xl, start << 0);
  vyl = der(x = yl, start << 0.5);
  vxr = der(x = xr, start << 1);
  vyr = der(x = yr, start << 0.5);
  5e-4*der(x = vxl, start << -0.5) = (0.5 - left)*xl/left + lam1*xb + 2*lam2*(xl - xr);
  5e-4*der(x = vyl, start << 0) = (0.5 - left)*yl/left + lam1*yb + 2*lam2*(yl - yr) - 5e-4;
  5e-4*der(x = vxr, start << -0.5) = (0.5 - right)*(xr - xb)/right - 2*lam2*(xl - xr);
  5e-4*der(x = vyr, start << 0) = (0.5 - right)*(yr - yb)/right - 2*lam2*(yl - yr) - 5e-4;
  xb*xl + yb*yl = 0;
  (xl - xr)^2 + (yl - yr)^2 = 1;
end CarAxis;

// The same with states that the modeller wants
model CarAxisPreferred
implementation:
  static Real xl; static Real yl; static Real xr; static Real yr;
  static Real vxl; static Real vyl; static Real vxr; static Real vyr;
  static Real xb; static Real yb; static Real left; static Real right;
  static Real lam1; static Real lam2;
  yb = 0.1*sin(x = 10*time);
  xb = sqrt(x = 1 - yb^2);
  left = sqrt(x = xl^2 + yl^2);
  right = sqrt(x = (xr - xb)^2 + (yr - yb)^2);
  vxl = der(x = xl, start << 0);
  vyl = derState(x = yl, start << 0.5);
  vxr = der(x = xr, start << 1);
  vyr = derState(x = yr, start << 0.5);
  5e-4*der(x = vxl, start << -0.5) = (0.5 - left)*xl/left + lam1*xb + 2*lam2*(xl - xr);
  5e-4*derState(x = vyl, start << 0) = (0.5 - left)*yl/left + lam1*yb + 2*lam2*(yl - yr) - 5e-4;
  5e-4*der(x = vxr, start << -0.5) = (0.5 - right)*(xr - xb)/right - 2*lam2*(xl - xr);
  5e-4*derState(x = vyr, start << 0) = (0.5 - right)*(yr - yb)/right - 2*lam2*(yl - yr) - 5e-4;
  xb*xl + yb*yl = 0;
  (xl - xr)^2 + (yl - yr)^2 = 1;
end CarAxisPreferred;

// Chemical reaction of eight species
model Hires
implementation:
  static Real y[8];
  der(x = y[1], start << 1) = -1.71*y[1] + 0.43*y[2] + 8.32*y[3] + 0.0007;
  der(y[2]) = 1.71*y[1] - 8.75*y[2];
  der(y[3]) = -10.03*y[3] + 0.43*y[4] + 0.035*y[5];
  der(y[4]) = 8.32*y[2] + 1.71*y[3] - 1.12*y[4];
  der(y[5]) = -1.745*y[5] + 0.43*y[6] + 0.43*y[7];
  der(y[6]) = -280*y[6]*y[8] + 0.69*y[4] + 1.71*y[5] - 0.43*y[6] + 0.69*y[7];
  der(y[7]) = 280*y[6]*y[8] - 1.81*y[7];
  der(x = y[8], start << 0.0057) = -280*y[6]*y[8] + 1.81*y[7];
end Hires;

// A reaction that oscillates
model Orego
implementation:
  Real a {start << 1}; Real b {start << 2}; Real c {start << 3};
  der(a) = 77.27*(b + a*(1 - 8.375e-6*a - b));
  der(b) = (c - (1 + a)*b)/77.27;
  der(c) = 0.161*(a - c);
end Orego;

// Two species react, carbon dioxide is added; one equation without a derivative
model Akzo
implementation:
  Real y1 {start << 0.444}; Real y2 {start << 0.00123}; Real y3; Real y4 {start << 0.007}; Real y5; Real y6;
  Real r1; Real r2; Real r3; Real r4; Real r5; Real inflow;
  r1 = 18.7*y1^4*sqrt(y2);
  r2 = 0.58*y3*y4;
  r3 = 0.58/34.4*y1*y5;
  r4 = 0.09*y1*y4^2;
  r5 = 0.42*y6^2*sqrt(y2);
  inflow = 3.3*(0.9/737 - y2);
  der(y1) = -2*r1 + r2 - r3 - r4;
  der(y2) = -0.5*r1 - r4 - 0.5*r5 + inflow;
  der(y3) = r1 - r2 + r3;
  der(y4) = -r2 + r3 - 2*r4;
  der(y5) = r2 - r3 + r5;
  y6 = 115.83*y1*y4;
end Akzo;

// A satellite between earth and moon, on Arenstorf's closed orbit: not stiff, but steep at its ends
model Arenstorf
interface:
  parameter Real mu << 0.012277471;
implementation:
  Real x {start << 0.994}; Real y; Real vx; Real vy {start << -2.00158510637908252240537862224};
  Real earth; Real moon;
  earth = ((x + mu)^2 + y^2)^1.5;
  moon = ((x - 1 + mu)^2 + y^2)^1.5;
  vx = der(x);
  vy = der(y);
  der(vx) = x + 2*vy - (1 - mu)*(x + mu)/earth - mu*(x - 1 + mu)/moon;
  der(vy) = y - 2*vx - (1 - mu)*y/earth - mu*y/moon;
end Arenstorf;
