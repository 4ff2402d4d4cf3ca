//! mode: instantiate
//! 3:7: error: instances nested deeper than 4000: does a model declare itself without end?
model A
implementation:
  Real x;
  x = 1;
  if x > 0 then
    A inner;
  end if;
end A;
