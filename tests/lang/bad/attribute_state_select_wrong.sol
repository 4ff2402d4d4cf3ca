//! 6:33: error: 'stateSelect' is "never", "avoid", "default", "prefer" or "always"
//! 7:33: error: 'stateSelect' is "never", "avoid", "default", "prefer" or "always"
//! 8:14: error: only Reals that vary have 'stateSelect'
model A
interface:
  static Real a {stateSelect << "often"};
  static Real b {stateSelect << true};
  Integer n {stateSelect << "prefer"};
implementation:
  a = 1; b = 1; n << 1;
end A;
