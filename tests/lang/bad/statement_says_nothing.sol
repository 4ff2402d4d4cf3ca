//! 7:3: error: this statement says nothing: '=', '<<' or '<-' is missing
//! 8:3: error: this statement says nothing: '=', '<<' or '<-' is missing
//! 9:3: error: this statement says nothing: '=', '<<' or '<-' is missing
model A
implementation:
  Real x;
  x;
  x + 1;
  sin(x = 1);
end A;
