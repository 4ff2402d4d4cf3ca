//! 13:6: error: a condition changes at events: 'noEvent' cannot stand in it
//! 15:18: error: 'x' of 'noEvent' is Boolean, but a number is needed
//! 16:14: error: 'p' of 'smooth' is how often it can be differentiated: a constant, 0 or more
//! 17:14: error: 'p' of 'smooth' is Real, but Integer is needed
//! 18:21: error: 'simplified' of 'homotopy' is Boolean, but a number is needed
//! 19:8: error: 'sample' needs 'interval'
model A
interface:
  static Real x;
  static Boolean b;
implementation:
  x = time;
  if noEvent(if x > 1 then 1 else 2) > 1 then
  end if;
  b << noEvent(x > 1);
  x = smooth(-1, x);
  x = smooth(1.5, x);
  x = homotopy(x, x > 1);
  when sample(1) then end when;
end A;
