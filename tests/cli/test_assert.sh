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
model Negative implementation: Cell c; Cell d{C << -1}; end Negative;
SOL
run() { "$SOLSTICE" run "$work/a.sol:$1" --stop "$2" --output "$work/r.csv" >/dev/null 2>"$work/messages"; }
run Fine 2 || fail "a model whose assertions hold must run"
run Negative 2
[ $? = 1 ] || fail "exit code 1 expected"
grep -q "a.sol:6:3: error: at time 0: d: the capacitance must be positive" "$work/messages" || fail "message at birth"
run Fine 5
[ $? = 1 ] || fail "exit code 1 expected later too"
grep -q "error: at time 3: c: the voltage is too high" "$work/messages" || fail "message later"
tail -n 1 "$work/r.csv" | grep -q '^3' || fail "results up to there are kept"
