//! 5:7: error: control character 1
model A
implementation:
  Real x;
  x =  1;
end A;
