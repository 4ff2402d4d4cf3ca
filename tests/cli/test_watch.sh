#!/bin/bash
# `watch`: runs again when the file is saved, keeps going after a mistake, and draws the run before with the present one.
. "$(dirname "$0")/../support/shell.sh"
mkdir results && export TMPDIR="$work/results" # what other runs of watch left elsewhere does not count

model() { # rate
    echo "model Fall implementation: Real x; der(x = x, start << 1) = -$1*x; end Fall;"
}
until_says() { # count of lines that begin with ----
    for _ in $(seq 300); do [ "$(grep -cs '^----' out)" -ge "$1" ] && return; sleep 0.1; done
    fail "run $1 did not come: $(cat out err)"
}

model 1 >fall.sol
"$SOLSTICE" watch fall.sol --stop 2 --quiet --cache off --times 3 -- x >out 2>err &
pid=$!
until_says 1
sleep 0.5
echo "model Fall implementation: Real x; x = ; end Fall;" >fall.new && mv fall.new fall.sol
until_says 2
for _ in $(seq 300); do grep -q 'fall.sol:1:' err && break; sleep 0.1; done
sleep 0.5
model 3 >fall.new && mv fall.new fall.sol # as editors save
wait $pid || fail "watch ended with $?: $(cat err)"
[ "$(grep -c '^----' out)" = 3 ] || fail "not three runs: $(cat out)"
grep -q 'fall.sol:1:' err || fail "no message about the mistake: $(cat err)"
grep -q 'before.solr: x (0.135' out && grep -q 'now.solr: x (0.0024' out || fail "old and new curves: $(cat out)"
expect 0 "" "$SOLSTICE" watch fall.sol --stop 2 --quiet --cache off --times 1 --picture curves.svg
grep -q '<svg' curves.svg || fail "no picture"
for signal in INT TERM; do
    rm out
    (trap - INT; exec "$SOLSTICE" watch fall.sol --stop 2 --quiet --cache off -- x >out 2>err) & # bash ignores INT there
    pid=$!
    until_says 1
    kill -s $signal $pid
    wait $pid || fail "$signal: watch ended with $?: $(cat err)"
done
[ -z "$(ls results)" ] || fail "results are left behind: $(ls results)"

expect 2 "which file" "$SOLSTICE" watch
expect 2 "picture" "$SOLSTICE" watch fall.sol --output x.solr
expect 2 "from 1" "$SOLSTICE" watch fall.sol --times 0
expect 4 "No such file" "$SOLSTICE" watch none.sol

exit $((failures > 0))
