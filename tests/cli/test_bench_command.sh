#!/bin/bash
# `bench` runs three engines, side by side, and whole processes; its errors are those of the other commands.
set -u
failures=0
fail() {
    echo "FAILED: $1"
    failures=$((failures + 1))
}
model="$SOURCE_DIR/tests/sim/circuits.sol:Rectifier"
out=$("$SOLSTICE" bench "$model" --stop 0.1 --runs 2 --starts 1 --cache off) || fail "bench failed"
grep -qE "^engine +jit +interp +rebuild$" <<<"$out" || fail "no line of engines: $out"
row() { # beginning of a row -> its last three words
    grep -- "^ *$1" <<<"$out" | head -1 | awk '{ print $(NF - 2), $(NF - 1), $NF }'
}
[ "$(row 'functions compiled' | awk '{ print ($2 == 0) && ($3 > 0) }')" = 1 ] ||
    fail "interp compiles nothing, rebuild something: $(row 'functions compiled')"
for name in steps residuals "events  " "structural events"; do
    read -r a b c <<<"$(row "$name")"
    [ "$a" -gt 0 ] && [ "$a" = "$b" ] && [ "$b" = "$c" ] || fail "$name differ between engines: $a $b $c"
done
read -r a b c <<<"$(row 'total, seconds')"
awk "BEGIN { exit !($a > 0 && $b > 0 && $c > $b) }" || fail "totals: $a $b $c"
read -r a b c <<<"$(row 'over jit')"
[ "$a" = 1.00 ] || fail "ratio of jit to jit: $a"
for name in parse instantiate ddp integrate "cold (empty cache)" "its peak of memory, MB"; do
    read -r a b c <<<"$(row "$name")"
    awk "BEGIN { exit !($a > 0 && $b > 0 && $c > 0) }" || fail "$name: $a $b $c"
done
# medians of what a structural event costs: `rebuild` waits for the compiler, `jit` does not
wait_of() { # engine number -> median
    grep '^ *both (the wait), us' <<<"$out" | sed 's/.*us *//; s, / ,/,g' | awk -v n="$1" '{ split($n, q, "/"); print q[1] }'
}
awk "BEGIN { exit !($(wait_of 3) > 3 * $(wait_of 2)) }" || fail "rebuild waits for nothing: $(wait_of 2) $(wait_of 3)"
grep -q "warm (full cache) .* - *- *$\|warm (full cache) *[0-9.]* *- *-" <<<"$out" || fail "warm start"
[ "$(awk '{ if (length > n) n = length } END { print n }' <<<"$(tail -n +2 <<<"$out")")" -le 100 ] || fail "wider than 100"
"$SOLSTICE" bench "$model" --runs 0 2>/dev/null
[ $? = 2 ] || fail "--runs 0 must end with exit code 2"
"$SOLSTICE" bench "$model" --stop -1 2>/dev/null
[ $? = 2 ] || fail "--stop before --start must end with exit code 2"
"$SOLSTICE" bench /nonexistent.sol 2>/dev/null
[ $? = 4 ] || fail "a missing file must end with exit code 4"
bad=$(mktemp -d) || exit 1
echo "model M implementation: static Real x; x = 1; x = 2; end M;" >"$bad/m.sol"
"$SOLSTICE" bench "$bad/m.sol" 2>"$bad/err"
[ $? = 1 ] || fail "a wrong model must end with exit code 1"
grep -q "error" "$bad/err" || fail "and say why"
rm -r "$bad"
exit $((failures > 0))
