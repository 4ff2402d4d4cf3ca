#!/bin/bash
# Every model of tests/sim and every example of the library: interpreter, blocks one by one, and batches from two
# blocks on (tables, arrays from sixteen on) give the same bytes and the same messages.
set -u
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failed=0 batched=0

run() { # name, FILE:MODEL, options...
    local name=$1 model=$2
    shift 2
    timeout 100 "$SOLSTICE" run "$SOURCE_DIR/$model" --cache "$work/cache" --quiet --output "$work/$name.solr" "$@" \
        >"$work/$name.messages" 2>&1
    echo "exit $?" >>"$work/$name.messages"
}

compare() { # FILE:MODEL, options...
    local model=$1
    shift
    run interp "$model" --engine interp "$@"
    run single "$model" --jit wait --batch-from 1000000 "$@"
    run batches "$model" --jit wait --batch-from 2 --stats "$work/stats" "$@"
    grep -q '"batches": [1-9]' "$work/stats" 2>/dev/null && batched=$((batched + 1))
    for way in single batches; do
        for kind in solr messages; do
            [ -e "$work/interp.$kind" ] || [ -e "$work/$way.$kind" ] || continue # no run, no result
            cmp -s "$work/interp.$kind" "$work/$way.$kind" && continue
            echo "$model $*: $way differs from the interpreter ($kind)"
            tail -n 3 "$work/interp.messages" "$work/$way.messages"
            failed=1
        done
    done
    rm -f "$work"/*.solr "$work"/*.messages "$work/stats"
}

# FILE:DESIGNATOR of every model, or of those inside a package Examples
models() {
    awk -v file="${1#"$SOURCE_DIR"/}" -v only="$2" '
        $1 ~ /^(package|model|connector|function|operator|record)$/ { path[++depth] = $2
            name = path[1]; inside = only == ""
            for (i = 2; i <= depth; i++) { name = name "." path[i]; inside = inside || path[i] == only }
            if ($1 == "model" && inside) print file ":" name }
        $1 == "end" && depth && $2 == path[depth] ";" { depth-- }' "$1"
}

for file in "$SOURCE_DIR"/tests/sim/*.sol; do
    for model in $(models "$file" ""); do compare "$model" --stop 0.7 --steps 20 --max-events 200; done
done
for file in "$SOURCE_DIR"/stdlib/*.sol; do
    for model in $(models "$file" Examples); do compare "$model" --stop 0.1 --steps 20; done
done
for solver in ida rk; do
    compare perf/models/Colony.sol:Colony.Run --set V=40 --stop 250 --solver $solver
    compare perf/models/Rectifiers.sol:Rectifiers.Array --set n=12 --stop 0.03 --solver $solver
done
compare perf/models/Lines.sol:Lines.Line --stop 0.5 --steps 20
compare stdlib/Population.sol:Population.Examples.Colony --set V=40 --stop 400 --steps 50
compare stdlib/Traffic.sol:Traffic.Examples.Road --stop 70 --steps 50
compare stdlib/Traffic.sol:Traffic.Examples.Road --stop 90 --steps 50 --solver euler --step 0.1

[ "$batched" -ge 5 ] || { echo "only $batched models had batches at the end"; failed=1; }
exit $failed
