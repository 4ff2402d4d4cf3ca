#!/bin/bash
# A run that writes one variable writes the same bytes for it as a run that writes all: at output points only what a
# written variable needs is evaluated. Every model of tests/sim; of each two variables, alone and all together.
set -u
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failed=0 compared=0

run() { # name, FILE:MODEL, options...
    local name=$1 model=$2
    shift 2
    timeout 100 "$SOLSTICE" run "$SOURCE_DIR/$model" --engine interp --quiet --stop 0.3 --steps 15 \
        --max-events 20 --output "$work/$name.csv" "$@" >"$work/$name.messages" 2>&1
}

# Columns of the second file, whose names the first has too: every value that both have at a time and side.
differences() {
    awk -F, 'FNR == 1 { for (i = 1; i <= NF; i++) if (NR == FNR) column[$i] = i; else name[i] = $i; next }
        NR == FNR { for (c in column) all[FNR, c] = $column[c]; rows = FNR; next }
        { for (i = 1; i in name; i++) if (name[i] in column && all[FNR, name[i]] != $i) {
            print name[i] " at " $1 ": " all[FNR, name[i]] " and " $i; exit } }
        END { if (rows != FNR) print "rows: " rows " and " FNR }' "$1" "$2"
}

compare() { # FILE:MODEL, options...
    local model=$1 names name found
    shift
    run all "$model" "$@"
    names=$(head -n 1 "$work/all.csv" 2>/dev/null | tr ',' '\n' | tail -n +2 | grep -v '[^A-Za-z0-9_.]')
    local count
    count=$(echo "$names" | grep -c .)
    [ "$count" -gt 0 ] || return
    names=$(echo "$names" | awk -v every=$((count / 3 + 1)) 'NR % every == 0')
    local together=()
    for name in $names; do together+=(--vars "$name"); done
    for name in $names ALL; do
        if [ "$name" = ALL ]; then run few "$model" "${together[@]}" "$@"; else run few "$model" --vars "$name" "$@"; fi
        [ -f "$work/few.csv" ] || continue
        found=$(differences "$work/all.csv" "$work/few.csv")
        compared=$((compared + 1))
        [ -z "$found" ] || { echo "$model $* --vars $name: $found"; failed=1; }
        rm -f "$work/few.csv"
    done
    rm -f "$work"/*.csv
}

models() { # FILE:DESIGNATOR of every model
    awk -v file="${1#"$SOURCE_DIR"/}" '
        $1 ~ /^(package|model|connector|function|operator|record)$/ { path[++depth] = $2
            name = path[1]
            for (i = 2; i <= depth; i++) name = name "." path[i]
            if ($1 == "model") print file ":" name }
        $1 == "end" && depth && $2 == path[depth] ";" { depth-- }' "$1"
}

for file in "$SOURCE_DIR"/tests/sim/*.sol; do
    for model in $(models "$file"); do compare "$model"; done
done
for model in $(models "$SOURCE_DIR/tests/sim/mechanics.sol"); do compare "$model" --solver rk; done
[ "$compared" -gt 100 ] || { echo "only $compared comparisons"; failed=1; }
exit $failed
