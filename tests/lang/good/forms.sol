// Every form of writing that the language allows, once.
package Constants
  define pi as 3.14159265358979;
  define 2.718281828459045 as e;      // the value may come first
  define tau as 2*pi;                 // constants are computed from constants
  define half as 1/2;
  define root as sqrt(2.0);
  define name as "Sol";
  define yes as not false;
  define Number as Real;              // a name for a predefined type
  define small as -1e-3;
end Constants;

model Gain
interface:
  parameter Real k << 2.0;
  parameter Real offset << k/2;       // a default may use other parameters
  in Real u;
  in Real v;
  out Real y;
implementation:
  y = k*u + v + offset;
end Gain;

model Filter
interface:
  parameter Real T;
  static in Real u;
  static out Real y;
implementation:
  T*der(x = y, start << 0) = u - y;
end Filter;

model Marker
interface:
  in Real x;
end Marker;

model Forms
  define pi as Constants.pi;
implementation:
  static Real a; Real b; Real c; Constants.Number d;
  Integer n; Boolean on; String text;
  Gain g{};
  Gain h{k << 3, offset = 0};
  Filter f{T << 0.1};
  ;
  a = sin(x = time) + cos(time) + atan2(y = 1.0, x = 2) + atan2(1, 2.0);
  b = g(u = a, v = 1);
  c = h(a, v = b);
  d = f(u = c) + Filter{T << 1}(u = c) + Gain(a, b);
  text << "a text with /* no comment */ inside // at all";
  Marker(x << a);
  Marker{}(a);
  Marker(a + b);
  n << round(5/2) + floor(2.5) - ceil(x = 2.5)*sign(-3) + mod(7, 3) + max(1, 2);
  if on and not (a < b) or c >= d then
    Real inner;
    inner = min(a, b)^2;
  else if n == 3 then
  else then
  end if;
  when on then
  end when;
  when Sample(interval = 0.5) then
    on << not pre(on);
  else when time > 3 then
    on << false;
  end;
  tearing(x = a);
  tearing(b);
  cout << a + Constants.tau*Constants.e*Constants.half - pi;
  cout << text == Constants.name;
end Forms;

// Instances that come and go.
model Part
interface:
  parameter Real m << 1.0;
  Real x;
implementation:
  der(x = x, start << m) = -x;
end Part;

model HeavyPart extends Part;
interface:
  Real y;
implementation:
  y = 2*x;
end HeavyPart;

model Holder
interface:
  parameter alias Part shown;
  alias Part other;
implementation:
  Real seen;
  other << shown;
  seen = other.x;
end Holder;

model Changing
implementation:
  Part fixed{m << 2.0};
  dynamic Part p;
  dynamic Part q{};
  dynamic HeavyPart r{m << 3.0};
  alias Part link;
  Holder holder{shown << fixed};
  link << fixed;
  p << fixed;                          // a copy
  when time > 1 then
    p <- q;                            // a move
  end;
  when time > 2 then
    q <- HeavyPart{m << 5.0};
    p << HeavyPart;
    r <- HeavyPart();
    trash <- r;
    trash <- Part{};
  end;
  if p? and q? and link? then
    cout << p.x + q.x;
  end;
end Changing;
