// Circuits without components: all variables and relations on one level.

// An RC circuit whose switch branch goes through four modes.
model FourModes
implementation:
  Real R; Real C;
  Real i; Real uC; Real uR; Real uS;
  Integer mode;
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
    Real omega;
    omega = 5;
    uS = 10*cos(omega*(time - 5));
  else if mode == 2 then
    i = -0.2;
  else then
    Real Rs;
    Rs = 1000;
    uS = Rs*i;
  end;
end FourModes;

// Three sources, five branches, and a resistor that is switched into the loop.
model SwitchedMesh
  define pi as 3.14159265358979;
implementation:
  Real u1; Real u2; Real u3;
  Real v1; Real v2; Real v3;
  Real i1; Real i2; Real i3; Real i12; Real i32;
  u1 = 10*sin(50*pi*time);
  u2 = 5*sin(30*pi*time + pi/4);
  u3 = 16*sin(20*pi*time + pi/2);
  u1 - v1 = 10*i1;
  u1 - v2 = 20*i12;
  u2 - v2 = 30*i2;
  u3 - v2 = 40*i32;
  u3 - v3 = 50*i3;
  v3 - v2 = 70*i3;
  i1 + i2 + i3 + i12 + i32 = 0;
  Boolean closed;
  closed << time > 0.05;
  if closed then
    v1 - v2 = 60*i1;
  else then
    i1 = 0;
  end if;
  cout << v1 + v2 + v3;
end SwitchedMesh;

// The rectifier of the electric library, written out.
model FlatRectifier
  define pi as 3.14159265358979;
implementation:
  Real i; Real iC; Real iR;
  Real u; Real uR; Real uL; Real uD; Real uC;
  Boolean conducting;
  u = sin(100*pi*time);
  u = uR + uL + uD + uC;
  uR = 10*i;
  uL = 0.2*der(i);
  i = iC + iR;
  iC = 1e-3*der(uC);
  uC = 50*iR;
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
  end;
end FlatRectifier;

// Two capacitors in parallel: one state for two derivatives.
model TwoCapacitors
implementation:
  Real u0; Real uR; Real u1; Real u2; Real iR; Real i1; Real i2;
  u0 = 10;
  uR = 100*iR;
  i1 = 0.001*der(u1);
  i2 = 0.002*der(u2);
  iR = i1 + i2;
  u1 = u2;
  u0 = uR + u1;
end TwoCapacitors;
