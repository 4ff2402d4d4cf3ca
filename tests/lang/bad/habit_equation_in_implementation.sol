//! 6:1: error: 'equation' is written 'implementation:'
//! 8:1: error: 'algorithm' is written 'implementation:'
model A
implementation:
  Real x;
equation
  der(x) = 1;
algorithm
  x = 2;
end A;
