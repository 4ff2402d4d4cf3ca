#!/bin/bash
# The command `convert`: what it writes, what it refuses, and results whose writer was killed.
set -u
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failures=0

fail() {
    echo "FAILED: $*"
    failures=$((failures + 1))
}

expect() { # exit code, text that stderr must contain, command...
    local code=$1 text=$2
    shift 2
    "$@" >"$work/out" 2>"$work/err"
    local got=$?
    [ "$got" -eq "$code" ] || fail "$*: exit code $got, not $code"
    [ -z "$text" ] || grep -qF -- "$text" "$work/err" || fail "$*: no '$text' in: $(cat "$work/err")"
}

"$BUILD_DIR/write_result" "$work/a.solr" 102 || fail "write_result"
expect 0 "" "$SOLSTICE" convert "$work/a.solr" "$work/a.csv"
[ "$(wc -l <"$work/a.csv")" -eq 103 ] || fail "rows of CSV"
[ "$(head -3 "$work/a.csv" | tr '\n' ' ')" = "time,x,y 0,0,0 1,1,2 " ] || fail "head of CSV"
[ "$(tail -2 "$work/a.csv" | tr '\n' ' ')" = "100,100, 101,101, " ] || fail "end of CSV"
expect 0 "" "$SOLSTICE" convert "$work/a.solr" --vars 'y*'
[ "$(head -1 "$work/out")" = "time,y" ] || fail "--vars"
expect 0 "" "$SOLSTICE" convert "$work/a.solr" "$work/a.mat"
[ "$(head -c 26 "$work/a.mat" | tail -c 6)" = "Aclass" ] || fail "MAT"
expect 0 "" "$SOLSTICE" convert --to=csv "$work/a.solr" "$work/a.txt"
cmp -s "$work/a.txt" "$work/a.csv" || fail "--to csv"

expect 2 "which result file?" "$SOLSTICE" convert
expect 2 "unknown option '--from'" "$SOLSTICE" convert --from x
expect 2 "--to wants one of by-name, csv, mat, not 'xls'" "$SOLSTICE" convert --to xls a
expect 2 "--vars wants a value" "$SOLSTICE" convert a --vars
expect 2 "neither .csv nor .mat" "$SOLSTICE" convert "$work/a.solr" "$work/a.xls"
expect 2 "overwrite itself" "$SOLSTICE" convert --to csv "$work/a.solr" "$work/a.solr"
expect 4 "No such file" "$SOLSTICE" convert "$work/none.solr"
expect 4 "not a result file" "$SOLSTICE" convert "$work/a.csv"
expect 4 "No space left" "$SOLSTICE" convert --to csv "$work/a.solr" /dev/full
head -c 1000 "$work/a.solr" >"$work/cut.solr"
expect 0 "the run did not end" "$SOLSTICE" convert "$work/cut.solr" "$work/cut.csv"
cmp -s <(head -n "$(wc -l <"$work/cut.csv")" "$work/a.csv") "$work/cut.csv" || fail "cut result"
"$BUILD_DIR/write_result" /dev/full 10
[ $? -eq 4 ] || fail "full disk goes unnoticed"

# The writer is killed at any moment: what is there reads without damage, rows in order from 0.
for i in $(seq 20); do
    rm -f "$work/k.solr"
    "$BUILD_DIR/write_result" "$work/k.solr" 0 &
    while [ ! -s "$work/k.solr" ]; do :; done
    sleep "0.00$((RANDOM % 10))"
    { kill -9 $! && wait $!; } 2>/dev/null
    "$SOLSTICE" convert "$work/k.solr" --vars x 2>"$work/err" |
        awk -F, 'NR > 1 && ($1 != NR - 2 || $2 != $1) { bad = 1 } END { exit bad }' ||
        fail "rows of a killed run"
    grep -q "the run did not end" "$work/err" || fail "a killed run looks complete"
    [ "$failures" -gt 5 ] && break
done

exit $((failures > 0))
