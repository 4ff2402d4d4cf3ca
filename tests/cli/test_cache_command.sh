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
n=$("$SOLSTICE" cache list --cache "$work/code" | wc -l)
[ "$n" -gt 1 ] || fail "the list has entries"
run second
[ "$compiled" = 0 ] || fail "the second run compiled $compiled functions"
cmp -s "$work/first.solr" "$work/second.solr" || fail "results differ"
# The largest: names are hashes, and a file may hold two functions, or one that other code makes needless.
file=$(find "$work/code" -type f -printf '%s %p\n' | sort -n | tail -n 1 | cut -d ' ' -f 2-)
truncate -s -5 "$file"
"$SOLSTICE" cache list --cache "$work/code" | grep -q damaged || fail "damage is not shown"
run third
[ "$compiled" = 1 ] || fail "the damaged function is made again, not $compiled"
cmp -s "$work/first.solr" "$work/third.solr" || fail "results differ after damage"
"$SOLSTICE" cache clear --cache "$work/code" | grep -q 'functions deleted' || fail "clear"
"$SOLSTICE" cache --cache "$work/code" | grep -q ': 0 functions' || fail "not empty after clear"
"$SOLSTICE" cache shuffle 2>/dev/null
[ $? = 2 ] || fail "an unknown word must end with exit code 2"
