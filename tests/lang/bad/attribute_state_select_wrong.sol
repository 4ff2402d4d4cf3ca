//! 6:33: error: 'stateSelect' is "default", "prefer" or "always"; instead of avoiding one, prefer another
//! 7:33: error: 'stateSelect' is "default", "prefer" or "always"; instead of avoiding one, prefer another
//! 8:14: error: only Reals that vary have 'stateSelect'
model A
interface:
  static Real a {stateSelect << "often"};
  static Real b {stateSelect << true};
  Integer n {stateSelect << "prefer"};
implementation:
  a = 1; b = 1; n << 1;
end A;
