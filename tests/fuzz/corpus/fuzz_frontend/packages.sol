package P
  define k as 2*3;
  model M
  interface:
    parameter Real p << k;
    in Real u;
    out Real y;
  implementation:
    y = p*u;
  end M;
end P;
package Q extends P;
  redefine model M extends M;
  interface:
    Real z;
  end M;
end Q;
model A
implementation:
  Q.M m{p << 1};
  Real x;
  x = m(u = 2) + P.M(3);
end A;
