#!/bin/bash
# A model with an error does not run: not when the error is in the top model, in a part of it, or in what an
# event brings to life.
set -u
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failed=0
parts='model Part interface: Real x; implementation: Real hidden; hidden = 1; x = 2; end Part;
model Wrong interface: Part p; implementation: Real q; q = p.hidden; end Wrong;'
cat >"$work/top.sol" <<SOL
$parts
model Top implementation: Part p; Real y; y = p.hidden; end Top;
SOL
cat >"$work/part.sol" <<SOL
$parts
model Top implementation: Wrong w; Real y; y = w.p.x; end Top;
SOL
cat >"$work/event.sol" <<SOL
$parts
model Top implementation: dynamic Wrong w; Real y; y = 1; when time > 0.05 then w <- Wrong; end; end Top;
SOL
for name in top part event; do
    "$SOLSTICE" run "$work/$name.sol" --stop 0.1 --output "$work/r.csv" >/dev/null 2>"$work/messages"
    code=$?
    [ $code = 1 ] || { echo "$name: exit code $code, not 1"; failed=1; }
    grep -q "error: 'hidden' is private in 'Part'" "$work/messages" || { cat "$work/messages"; failed=1; }
done
exit $failed
