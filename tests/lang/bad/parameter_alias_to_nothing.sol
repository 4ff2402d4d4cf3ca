//! mode: instantiate
//! 17:26: error: parameter 'p': there is no instance to refer to
model Part
interface:
  Real x;
implementation:
  x = time;
end Part;
model Look
interface:
  parameter alias Part p; Real y;
implementation:
  y = p.x;
end Look;
model A
implementation:
  dynamic Part p; Look l{p << p};
end A;
