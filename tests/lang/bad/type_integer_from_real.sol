//! 5:8: error: the value is Real, but Integer is needed; round() makes an Integer
model A
implementation:
  Integer n;
  n << time;
end A;
