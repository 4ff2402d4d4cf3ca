#!/bin/bash
# `run` fills the cache, `cache` lists and clears it, a second run compiles nothing, damage is dropped.
set -u
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
fail() { echo "$1"; exit 1; }
run() {
    "$SOLSTICE" run "$SOURCE_DIR/tests/sim/circuits.sol:Rectifier" --stop 0.1 --jit wait --cache "$work/code" \
        --quiet --output "$work/$1.solr" --stats "$work/s.json" 2>/dev/null || fail "run failed"
    compiled=$(grep -o '"functions_compiled": *[0-9]*' "$work/s.json" | grep -o '[0-9]*$')
}
"$SOLSTICE" cache --cache "$work/code" | grep -q ': 0 functions' || fail "a missing folder is an empty cache"
run first
[ "$compiled" -gt 0 ] || fail "the first run compiles"
all=$compiled
n=$("$SOLSTICE" cache list --cache "$work/code" | wc -l)
[ "$n" -gt 1 ] || fail "the list has entries"
run second
[ "$compiled" = 0 ] || fail "the second run compiled $compiled functions"
cmp -s "$work/first.solr" "$work/second.solr" || fail "results differ"
# How many functions a file holds depends on who came first, and better code may make it needless: one file is some
# functions or none, all files are all functions.
truncate -s -5 "$(find "$work/code" -type f | head -n 1)"
"$SOLSTICE" cache list --cache "$work/code" | grep -q damaged || fail "damage is not shown"
run third
[ "$compiled" -lt "$all" ] || fail "one file is damaged, and all $compiled functions are made again"
find "$work/code" -type f -exec truncate -s -5 {} +
run fourth
[ "$compiled" = "$all" ] || fail "all files are damaged, and $compiled of $all functions are made again"
run fifth
[ "$compiled" = 0 ] || fail "$compiled functions are made again after the damage is mended"
for again in third fourth fifth; do
    cmp -s "$work/first.solr" "$work/$again.solr" || fail "results differ after damage"
done
"$SOLSTICE" cache clear --cache "$work/code" | grep -q 'functions deleted' || fail "clear"
"$SOLSTICE" cache --cache "$work/code" | grep -q ': 0 functions' || fail "not empty after clear"
"$SOLSTICE" cache shuffle 2>/dev/null
[ $? = 2 ] || fail "an unknown word must end with exit code 2"
