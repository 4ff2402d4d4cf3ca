package Beside
  define mass as More.k + 1;
  model Part
  interface:
    parameter Real m;
    Real x;
  implementation:
    m*der(x = x, start << 1) = -x;
  end Part;
end Beside;
