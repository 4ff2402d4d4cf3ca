#!/bin/bash
# `graph` draws the causality of the first mode: state, loop, residual, differentiated relation.
set -u
out=$("$SOLSTICE" graph "$SOURCE_DIR/tests/cli/parallel_capacitors.sol") || exit 1
for part in 'digraph causality' 'doublecircle.*label="u1"' 'linear loop, tears:' 'mistyrose' \
            'd/dt u1 = u2' 's[0-9]* -> r[0-9]*'; do
    grep -q -- "$part" <<<"$out" || { echo "missing in the graph: $part"; exit 1; }
done
[ "$(grep -c 'doublecircle' <<<"$out")" = 1 ] || { echo "one state expected"; exit 1; }
# At a time: blocks coloured by tier and age; the older a block, the paler.
at() { "$SOLSTICE" graph "$SOURCE_DIR/tests/sim/changing.sol:Coupled" --at "$1"; }
fresh=$(at 0.0201) old=$(at 0.2)
for part in 'cluster_legend' 'quick code, block of [0-9]*, age 0' 'fillcolor="0.57 0.65 1"'; do
    grep -q -- "$part" <<<"$fresh" || { echo "missing in the graph of a fresh structure: $part"; exit 1; }
done
grep -qE 'optimised code, block of [0-9]+, age [1-9]' <<<"$old" || { echo "no optimised block that is older"; exit 1; }
"$SOLSTICE" graph /nonexistent.sol >/dev/null 2>&1
[ $? = 4 ] || { echo "a missing file must end with exit code 4"; exit 1; }
"$SOLSTICE" graph --pretty x.sol >/dev/null 2>&1
[ $? = 2 ] || { echo "an unknown option must end with exit code 2"; exit 1; }
