#!/bin/bash
# Attribute stateSelect: of two variables that a constraint binds, the one that is preferred is the state.
. "$(dirname "$0")/../support/shell.sh"

for case in 'a prefer a' 'b prefer b' 'a always a' 'b always b' 'b default a'; do # whose, what, the state
    set -- $case
    cat >select.sol <<'SOL'
model Bound
interface:
  static Real a; static Real b;
implementation:
  static Real f;
  der(x = a, start << 1) = f - a;
  2*der(x = b) = -f - b;
  a = 3*b;
end Bound;
SOL
    sed -i "s/static Real $1;/static Real $1 {stateSelect << \"$2\"};/" select.sol
    "$SOLSTICE" linearize select.sol >text 2>err || fail "$case: $(cat err)"
    grep -q "^A  *$3$" text || fail "$case: $(cat text)"
done
exit $((failures > 0))
