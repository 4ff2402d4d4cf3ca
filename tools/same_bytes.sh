#!/bin/bash
# Two builds of the program -> whether they give the same bytes: results, messages and exit codes.
#   tools/same_bytes.sh BEFORE AFTER [FILE:MODEL...]
# Without models: all library examples and the models of tests/sim; each under three engines and three
# solvers, for one second (or SAME_STOP). One line per difference, and a closing line with the counts. What
# takes one of the two longer than SAME_SECONDS (120) is not compared, and named.
set -u
before=$(realpath "$1") after=$(realpath "$2")
shift 2
cd "$(dirname "$0")/.." || exit 1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
export SOLSTICE_STDLIB=$PWD/stdlib

models() {
    for file in stdlib/*.sol; do
        package=$(basename "$file" .sol)
        "$after" run "$file:$package" 2>&1 | sed -n "s|^solstice: note: *\($package\.[A-Za-z0-9_.]*\)\$|$file:\1|p"
    done
    for file in tests/sim/*.sol; do
        sed -n "s|^model \([A-Za-z0-9_]*\).*|$file:\1|p" "$file"
    done
}

run() { # program, name, model, options
    local program=$1 name=$2
    shift 2
    timeout "${SAME_SECONDS:-120}" "$program" run "$@" --quiet --cache off --output "$work/$name.solr" >"$work/$name.text" 2>&1
    echo "exit $?" >>"$work/$name.text"
    [ -e "$work/$name.solr" ] || : >"$work/$name.solr"
}

[ $# -gt 0 ] || mapfile -t list < <(models)
[ $# -eq 0 ] || list=("$@")
runs=0 different=0 late=0
for model in "${list[@]}"; do
    for engine in interp "jit --jit wait" rebuild; do
        for solver in ida rk euler; do
            # shellcheck disable=SC2206
            options=("$model" --stop "${SAME_STOP:-1}" --engine $engine --solver $solver)
            rm -f "$work"/*
            run "$before" before "${options[@]}"
            run "$after" after "${options[@]}"
            runs=$((runs + 1))
            if grep -qx 'exit 124' "$work/before.text" "$work/after.text"; then
                late=$((late + 1))
                echo "not compared, it takes too long: ${options[*]}"
                continue
            fi
            cmp -s "$work/before.solr" "$work/after.solr" && cmp -s "$work/before.text" "$work/after.text" && continue
            different=$((different + 1))
            echo "${options[*]}"
        done
    done
done
echo "${#list[@]} models, $runs runs, $different different, $late not compared"
[ "$different" -eq 0 ]
