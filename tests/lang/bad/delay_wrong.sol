//! 9:10: error: 'delay' cannot stand in a function
//! 15:7: error: 'delay' needs 'T'
//! 16:13: error: 'x' of 'delay' is Boolean, but a number is needed
//! 17:16: error: this delay varies: 'delay(x, T, longest)' says how long it can become
//! 18:19: error: the longest delay is made of constants and parameters
//! 19:20: error: 'delay' cannot stand in a 'when': what it would remember ends with it
//! 20:15: error: 'delay' cannot stand in 'noEvent': what it remembers may jump
function f(x)
  return delay(x, 1);
end f;
model A
interface: static Real x; static Real y; static Boolean b; parameter Real p << 1;
implementation:
  x = f(time);
  y = delay(x);
  y = delay(b, 1);
  y = delay(x, x);
  y = delay(x, 1, x);
  when b then y << delay(x, 1); end when;
  y = noEvent(delay(x, 1));
end A;
