#!/bin/bash
# solstice verify: what can be believed passes; what cannot be is found, and up to when it can be.
. "$(dirname "$0")/../support/shell.sh"

cat >models.sol <<'END'
// Linear, with an event: every way gives the same.
model Decay
interface: static Real x; static Boolean low; static Real y;
implementation:
  der(x = x, start << 1) = -x;
  low << x < 0.3;
  if low then y = x; else then y = 2*x; end;
end Decay;
// Chaos: no tolerance helps for long.
model Lorenz
interface: static Real x; static Real y; static Real z;
implementation:
  der(x = x, start << 1) = 10*(y - x);
  der(x = y, start << 1) = x*(28 - z) - y;
  der(x = z, start << 1) = x*y - 8/3*z;
end Lorenz;
// Unstable: the error of the start grows by exp(100 t), whatever the tolerance.
model Unstable
interface: static Real x; static Real y;
implementation:
  der(x = x, start << 1) = 100*(x - cos(time)) - sin(time);
  y = x - cos(time);
end Unstable;
// No solution behind time 1.
model Ends
interface: static Real x;
implementation:
  der(x = x, start << 1) = x^2;
end Ends;
// Crossings that are simultaneous but for rounding: which one comes first depends on the way.
model Together
interface: static Real x; static Real y; static Integer n; static Integer m; static Real z;
implementation:
  der(x = x, start << 0) = 1 + z - z;
  der(x = y, start << 0) = 3;
  der(x = z, start << 1) = -z*sin(10*time);
  when mod(a = 2*x, b = 2) > 1 then n << pre(n) + 1; end;
  when mod(a = 2/3*y, b = 2) > 1 then m << pre(m) + 1; end;
  if x > 2 then static Real u; u = x; end;
  if y > 6 then static Real v; v = x; end;
end Together;
// Three phases whose sum is zero but for the errors of each.
model Balanced
  define third as 2.0943951023931953;
interface: static Real a; static Real b; static Real c; static Real sum;
implementation:
  der(x = a, start << 0) = sin(5*time) - a;
  der(x = b, start << 0) = sin(5*time + third) - b;
  der(x = c, start << 0) = sin(5*time + 2*third) - c;
  sum = a + b + c;
end Balanced;
END

expect 0 "" "$SOLSTICE" verify models.sol:Balanced --stop 4
expect 0 "" "$SOLSTICE" verify models.sol:Together --stop 4
grep -q '^all runs agree within 0.001 of each range up to 4$' out || fail "simultaneous events: $(cat out)"

expect 0 "" "$SOLSTICE" verify models.sol:Decay --stop 3
grep -q '^interpreted and compiled: the same bits' out || fail "bits: $(cat out)"
grep -q '^events: 1 with the tightest tolerance; the others moved by at most [0-9.e-]*$' out || fail "events: $(cat out)"
grep -Eq '^x .* falls  *the end$' out || fail "x: $(cat out)"
grep -q '^all runs agree within 0.001 of each range up to 3$' out || fail "verdict: $(cat out)"

expect 3 "" "$SOLSTICE" verify models.sol:Lorenz --stop 40
limit=$(sed -n 's/^all runs agree .* up to \([0-9.]*\) only$/\1/p' out)
awk -v t="${limit:-0}" 'BEGIN { exit !(t > 10 && t < 38) }' || fail "chaos: agrees up to '$limit'"
expect 0 "" "$SOLSTICE" verify models.sol:Lorenz --stop 40 --until 8

expect 0 "" "$SOLSTICE" verify models.sol:Decay --stop 3 --solver inline --method bdf3
expect 0 "" "$SOLSTICE" verify models.sol:Decay --stop 3 --form dae

expect 3 "" "$SOLSTICE" verify models.sol:Unstable --stop 1
grep -Eq '^y .*(stays|falls) ' out || fail "unstable: $(cat out)"

expect 3 "" "$SOLSTICE" verify models.sol:Ends --stop 2
grep -q 'FAILED at' out || fail "a run that fails: $(cat out)"

expect 1 "does not define 'Nope'" "$SOLSTICE" verify models.sol:Nope
expect 2 "euler has no tolerance" "$SOLSTICE" verify models.sol:Decay --solver euler
expect 2 "does not lie behind" "$SOLSTICE" verify models.sol:Decay --stop 0
expect 2 "k cannot be set" "$SOLSTICE" verify models.sol:Decay --set k=1
exit $((failures > 0))
