//! mode: instantiate
//! 6:8: error: the interval of Sample must be positive, it is -1
model A
implementation:
  Boolean b; Real n;
  b << Sample(interval = -1);
  when b then n << 1; end when;
end A;
