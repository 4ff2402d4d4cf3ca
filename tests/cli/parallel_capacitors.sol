// Two capacitors side by side: one state, the other follows; their currents form a loop.
model ParallelCapacitors
implementation:
  static Real u; static Real uR; static Real iR;
  static Real i1; static Real i2; static Real u1; static Real u2;
  u = 10;
  uR = 100*iR;
  i1 = 0.001*der(x=u1);
  i2 = 0.002*der(x=u2);
  iR = i1 + i2;
  u1 = u2;
  uR + u1 = u;
end ParallelCapacitors;
