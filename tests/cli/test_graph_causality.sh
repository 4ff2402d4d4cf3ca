#!/bin/bash
# `graph` draws the causality of the first mode: state, loop, residual, differentiated relation.
set -u
out=$("$SOLSTICE" graph "$SOURCE_DIR/tests/cli/parallel_capacitors.sol") || exit 1
for part in 'digraph causality' 'doublecircle.*label="u1"' 'linear loop, tears:' 'mistyrose' \
            'd/dt u1 = u2' 's[0-9]* -> r[0-9]*'; do
    grep -q -- "$part" <<<"$out" || { echo "missing in the graph: $part"; exit 1; }
done
[ "$(grep -c 'doublecircle' <<<"$out")" = 1 ] || { echo "one state expected"; exit 1; }
"$SOLSTICE" graph /nonexistent.sol >/dev/null 2>&1
[ $? = 4 ] || { echo "a missing file must end with exit code 4"; exit 1; }
"$SOLSTICE" graph --pretty x.sol >/dev/null 2>&1
[ $? = 2 ] || { echo "an unknown option must end with exit code 2"; exit 1; }
