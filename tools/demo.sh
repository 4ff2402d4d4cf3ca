#!/bin/sh
# The main demonstration: throws with the trebuchet, prints what happened, and makes its page.
#   tools/demo.sh [FILE.sol[:MODEL]]    another model: runs it and makes its page
set -eu
cd "$(dirname "$0")/.."

program=build/solstice
model=${1:-stdlib/Planar.sol:Planar.Examples.Trebuchet}
stop=15 # the projectile is back on the ground by then

if [ ! -x "$program" ]; then
    echo "demo: the program $program is not there; run 'make build' first." >&2
    exit 1
fi
if [ $# -gt 0 ]; then
    "$program" run "$model" --output build/demo.solr --stats build/demo.json
    "$program" report build/demo.solr --stats build/demo.json --output build/demo.html
    echo "page: $PWD/build/demo.html"
    exit 0
fi

"$program" run "$model" --stop $stop --rtol 1e-8 --interval 0.01 --output build/demo.solr \
    --stats build/demo.json
"$program" report build/demo.solr --stats build/demo.json --output build/demo.html \
    --vars 'projectile.p?' --vars 'projectile.v?' --vars 'R?.phi' --vars 'R?.w' --vars 'tip.fa.?' \
    --vars projectile.mode --vars R2.fixated

# Where the projectile comes down to the height it was released from the ground at, between rows.
"$program" convert build/demo.solr --vars projectile.px --vars projectile.py | awk -F, '
    NR > 1 && $3 > 1 { flying = 1 }
    NR > 1 && flying && $3 <= 0 && !landed {
        part = y / (y - $3)
        printf "range of the throw: %.2f m, %.3f s after the start\n", x + part * ($2 - x),
            t + part * ($1 - t)
        landed = 1
    }
    { t = $1; x = $2; y = $3 }
    END { if (!landed) print "the projectile was still in the air at the end" }'
echo "structural changes (number of states after each):"
sed -n 's/.*"time": \([^,]*\),.*"states_before": \([0-9]*\),.*"states_in_updates": \[\([^]]*\)\].*"structural": true.*/\1 \2, \3/p' \
    build/demo.json | awk '
    { printf "    %.6f s: %s", $1, $2 + 0
      for (i = 3; i <= NF; i++) { printf " -> %s", $i + 0; n++ }
      print "" }
    END { print "    " n " in all" }'
echo "page: $PWD/build/demo.html"
