#!/bin/bash
# `bench` runs three engines and says so; its errors are those of the other commands.
set -u
fail() { echo "$1"; exit 1; }
model="$SOURCE_DIR/tests/sim/circuits.sol:Rectifier"
out=$("$SOLSTICE" bench "$model" --stop 0.1 --runs 2 --cache off) || fail "bench failed"
for engine in jit interp rebuild; do
    grep -q "^$engine " <<<"$out" || fail "no line for $engine"
done
awk '$1 == "rebuild" && $7 > 0 {ok = 1} END {exit !ok}' <<<"$out" || fail "rebuild compiles"
awk '$1 == "interp" && $7 == 0 {ok = 1} END {exit !ok}' <<<"$out" || fail "interp compiles nothing"
[ "$(awk '$1 ~ /^(jit|interp|rebuild)$/ {print $8, $9}' <<<"$out" | sort -u | wc -l)" = 1 ] ||
    fail "steps and events differ between engines"
"$SOLSTICE" bench "$model" --runs 0 2>/dev/null
[ $? = 2 ] || fail "--runs 0 must end with exit code 2"
"$SOLSTICE" bench /nonexistent.sol 2>/dev/null
[ $? = 4 ] || fail "a missing file must end with exit code 4"
