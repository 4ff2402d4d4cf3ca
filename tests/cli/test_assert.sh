#!/bin/bash
# An assertion that does not hold ends the run with its message, the instance and the place; at birth and later.
set -u
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
fail() { cat "$work/messages"; echo "$1"; exit 1; }
cat >"$work/a.sol" <<'SOL'
model Cell
interface:
  parameter Real C << 1;
  Real u;
implementation:
  assert(condition = C > 0, message = "the capacitance must be positive");
  u = C*time;
  assert(condition = u < 3, message = "the voltage is too high");
end Cell;
model Fine implementation: Cell c; end Fine;
model Late
implementation:
  dynamic Cell c;
  when time > 1 then c <- Cell{C << -0.5}; end;
end Late;
model Checked
interface:
  parameter Real C << 1;
implementation:
  assert(condition = C > 0, message = "the capacitance must be positive");
end Checked;
model Negative implementation: Cell c; Cell d{C << -1}; end Negative;
SOL
run() { "$SOLSTICE" run "$work/a.sol:$1" --stop "$2" --output "$work/r.csv" >/dev/null 2>"$work/messages"; }
run Fine 2 || fail "a model whose assertions hold must run"
run Negative 2
[ $? = 1 ] || fail "exit code 1 expected"
grep -q "a.sol:22:45: error: Cell 'd': the capacitance must be positive (C = -1)$" "$work/messages" || fail "message at birth"
grep -q "a.sol:6:3: note: this is what must hold" "$work/messages" || fail "place of the assertion"
"$SOLSTICE" check --instantiate "$work/a.sol:Negative" >/dev/null 2>"$work/messages" && fail "check must see it too"
grep -q "error: Cell 'd': the capacitance must be positive (C = -1)$" "$work/messages" || fail "message of check"
# born later: the run ends at that time
run Late 3
[ $? = 1 ] || fail "exit code 1 expected at a birth during the run"
grep -q "error: Cell 'Cell': the capacitance must be positive (C = -0.5)$" "$work/messages" || fail "message at a later birth"
# decided at birth means decided: no condition is left in the model
"$SOLSTICE" flat "$work/a.sol:Checked" | grep -q when && fail "an assertion about parameters must leave nothing behind"
run Fine 5
[ $? = 1 ] || fail "exit code 1 expected later too"
grep -q "error: at time 3: c: the voltage is too high" "$work/messages" || fail "message later"
tail -n 1 "$work/r.csv" | grep -q '^3' || fail "results up to there are kept"
