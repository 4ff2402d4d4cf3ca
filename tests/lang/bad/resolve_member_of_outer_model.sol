//! 6:9: error: unknown name 'x'
model Outer
  model Inner
  implementation:
    Real y;
    y = x;
  end Inner;
implementation:
  Real x;
  x = 1;
end Outer;
