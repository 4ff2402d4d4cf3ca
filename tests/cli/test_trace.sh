#!/bin/bash
# --trace tells events, instances, causality and steps, each under its letter; flat and graph show a model at a time.
. "$(dirname "$0")/../support/shell.sh"
cat >Swap.sol <<'END_OF_MODEL'
model Wheel
interface:
  parameter Real k << 2;
  static Real phi;
implementation:
  der(x=phi, start=k) = -phi;
end Wheel;
model Swap
implementation:
  dynamic Wheel wheel;
  static Real y;
  when time > 1 then
    wheel <- Wheel{};
  else when time > 2 then
    trash <- wheel;
  end;
  if time > 1.5 then
    y = 1.5; // where it has got to: no state jumps
  else then
    der(x=y, start=0) = 1;
  end;
end Swap;
END_OF_MODEL
"$SOLSTICE" run Swap.sol --stop 3 --quiet --trace eids --trace-file all 2>err || fail "run: $(cat err)"
[ -s err ] && fail "nothing belongs to stderr: $(cat err)"
count() { # letter, text, how many lines
    local n
    n=$(grep -c "^$1 .*$2" all)
    [ "$n" = "$3" ] || fail "$n lines of $1 with '$2', not $3: $(grep "^$1" all | head -20)"
}
count e '| event ' 3
count e 'when time > 1 (Swap.sol:12)' 1
count e 'if time > 1.5 -> then (Swap.sol:17)' 1
count e 'states 2 -> 1' 1
count i '+ instance [0-9]*: wheel: Wheel' 1
count i '- instance' 1
grep -q '^d 1 .*final: determined' all || fail "no commit at 1: $(grep ^d all)"
[ "$(grep -c '^s .*ida, [12] unknowns: step of' all)" -gt 20 ] || fail "steps"
"$SOLSTICE" run Swap.sol --stop 3 --quiet --trace i 2>err || fail "run: $(cat err)"
grep -qv '^i ' err && fail "other letters than i: $(cat err)"
"$SOLSTICE" run Swap.sol --stop 3 --quiet --output with.csv --trace e 2>/dev/null
"$SOLSTICE" run Swap.sol --stop 3 --quiet --output without.csv
cmp -s with.csv without.csv || fail "a trace changes results"
for solver in rk euler; do
    "$SOLSTICE" run Swap.sol --stop 3 --quiet --solver $solver --trace s 2>err
    grep -q "^s .*| $solver, " err || fail "steps of $solver"
done
"$SOLSTICE" run Swap.sol --trace x 2>err && fail "--trace x"
"$SOLSTICE" run Swap.sol --trace-file x 2>err && fail "--trace-file alone"
"$SOLSTICE" run Swap.sol --trace e --trace-file no/such 2>err
[ $? = 4 ] || fail "--trace-file that cannot be created"

# the model at a time: after the events there
at() { # time, text that is there, text that is not
    "$SOLSTICE" flat Swap.sol --at "$1" --set y=0.25 >out 2>err || fail "flat --at $1: $(cat err)"
    grep -qF "$2" out || fail "flat --at $1: no '$2' in $(cat out)"
    grep -qF "$3" out && fail "flat --at $1: '$3' in $(cat out)"
}
at 0.5 'Real y; // 0.75' 'wheel.phi'
at 1 'Real wheel.phi; // 2' 'y = 1'
at 1.5 'y = 1' 'der(y)'
at 2.5 'y = 1' 'wheel.phi'
"$SOLSTICE" graph Swap.sol --at 1.2 >out || fail "graph --at"
[ "$(grep -c doublecircle out)" = 2 ] || fail "two states at 1.2: $(cat out)"
"$SOLSTICE" graph Swap.sol --at 2.5 >out || fail "graph --at"
[ "$(grep -c doublecircle out)" = 0 ] || fail "no state at 2.5: $(cat out)"
"$SOLSTICE" graph Swap.sol --types --at 1 2>/dev/null && fail "--types --at"
"$SOLSTICE" flat Swap.sol --at 1 --set wheel.q=4 >out 2>err || fail "behind a dynamic member anything may be"
grep -q "wheel.q was set to no effect" err || fail "no warning: $(cat err)"
"$SOLSTICE" flat Swap.sol --at 1 --set wheels.k=4 >out 2>err
[ $? = 2 ] || fail "--set on nothing: $(cat err)"
exit $((failures > 0))
