// Rectifiers that know nothing of each other, and two of them that meet for a while.

model Rectifier
  define pi as 3.141592653589793;
interface:
  parameter Integer n;
  static Real u;
  static Real extra;
implementation:
  static Real i; static Real iC; static Real u0; static Real uD;
  static Boolean conducting;
  i + extra = iC + u/50;
  iC = 0.001*der(x = u);
  u0 = sin(x = time*100*pi + 0.01*n);
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

model Alone
interface:
  parameter Integer n << 1;
implementation:
  static Rectifier r{n << n};
  r.extra = 0;
end Alone;

// n rectifiers, numbered from `first` on; as a tree, because paths are cut at some length.
model Row
interface:
  parameter Integer first;
  parameter Integer n;
implementation:
  if n > 1 then
    static Row left{first << first, n << floor(x = n/2)};
    static Row right{first << first + floor(x = n/2), n << n - floor(x = n/2)};
  else then
    static Alone one{n << first};
  end;
end Row;

model Thousand
implementation:
  static Row all{first << 1, n << 1000};
end Thousand;

// Numbers 999 and 1000 are coupled by a resistor between 0.02 and 0.05.
model TwoMeet
implementation:
  static Row all{first << 1, n << 998};
  static Rectifier a{n << 999};
  static Rectifier b{n << 1000};
  a.extra + b.extra = 0;
  if time < 0.02 then
    a.extra = 0;
  else if time < 0.05 then
    a.extra = (b.u - a.u)/20;
  else then
    a.extra = 0;
  end;
end TwoMeet;
