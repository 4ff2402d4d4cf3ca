#!/bin/bash
# An equation too many that comes at an event: the message names the statement that tipped the balance, with its
# place, and the equations it contradicts, but not the one beside them.
set -u
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
cat >"$dir/tip.sol" <<'SOL'
model Tip
implementation:
    static Real x;
    static Real y;
    static Real z;
    z = 7;
    x = 2 + time;
    y = 2*x;
    if time > 0.5 then
        y = 3;
    end;
end Tip;
SOL
out=$("$SOLSTICE" run "$dir/tip.sol" --stop 1 --quiet --output "$dir/tip.csv" 2>&1)
[ $? = 1 ] || { echo "a wrong model must end with exit code 1: $out"; exit 1; }
for part in "tip.sol:10:9: error: too many equations: 3 for 2 variables; 'y = 3' is one too many" \
            'tip.sol:7:5: note' 'tip.sol:8:5: note' 'note: this came about at time 0.5'; do
    grep -qF -- "$part" <<<"$out" || { echo "missing: $part"; echo "$out"; exit 1; }
done
if grep -qF 'tip.sol:6:5' <<<"$out"; then
    echo "z = 7 has nothing to do with it: $out"
    exit 1
fi
