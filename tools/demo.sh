#!/bin/sh
# The main demonstration: throws with the trebuchet, prints what happened, and makes its page.
#   tools/demo.sh [FILE.sol[:MODEL]]    another model: runs it and makes its page
set -eu
cd "$(dirname "$0")/.."

program=${SOLSTICE:-build/solstice}
out=${OUTPUT_DIR:-$PWD/build}
model=${1:-stdlib/Planar.sol:Planar.Examples.Trebuchet}
stop=15 # the projectile is back on the ground by then

if [ ! -x "$program" ]; then
    echo "demo: the program $program is not there; run 'make build' first." >&2
    exit 1
fi
if [ $# -gt 0 ]; then
    "$program" run "$model" --output "$out/demo.solr" --stats "$out/demo.json"
    "$program" report "$out/demo.solr" --stats "$out/demo.json" --output "$out/demo.html"
    exit 0
fi

"$program" run "$model" --stop $stop --rtol 1e-8 --interval 0.01 --output "$out/demo.solr" \
    --stats "$out/demo.json"
"$program" report "$out/demo.solr" --stats "$out/demo.json" --output "$out/demo.html" \
    --vars 'projectile.p?' --vars 'projectile.v?' --vars 'R?.phi' --vars 'R?.w' --vars 'tip.fa.?' \
    --vars projectile.mode --vars R2.fixated

# Where the projectile comes down to the height it was released from the ground at, between rows.
"$program" convert "$out/demo.solr" --vars projectile.px --vars projectile.py | awk -F, '
    NR > 1 && $3 > 1 { flying = 1 }
    NR > 1 && flying && $3 <= 0 && !landed {
        part = y / (y - $3)
        printf "range of the throw: %.2f m, %.3f s after the start\n", x + part * ($2 - x),
            t + part * ($1 - t)
        landed = 1
    }
    { t = $1; x = $2; y = $3 }
    END { if (!landed) print "the projectile was still in the air at the end" }'
# An event with several changes begins with an impulse, in which velocities are no states.
echo "structural changes, with the number of states before and after (in brackets: in an impulse):"
sed -n 's/.*"time": \([^,]*\),.*"states_before": \([0-9]*\),.*"states_in_updates": \[\([^]]*\)\].*"structural": true.*/\1 \2, \3/p' \
    "$out/demo.json" | awk '
    all == "" { all = $2 + 0 }
    { for (i = 3; i <= NF; i++) {
          n++
          states = i == 3 && NF > 3 ? "[" $i + 0 "]" : $i + 0
          printf "    %d. at %.6f s -> %s states\n", n, $1, states
          all = all ", " states
      } }
    END { print "    " n " in all: " all }'
echo "to change it while it runs: $program serve $model --stop 5"
