#!/bin/bash
# What users and machines do to the program: odd numbers, patterns, signals, terminals, folders that cannot be written.
. "$(dirname "$0")/../support/shell.sh"
cat >t.sol <<'END_OF_MODEL'
model T
implementation:
  static Real x;
  static Real speed;
  der(x=x, start=1) = -x;
  speed = -x;
end T;
END_OF_MODEL

# ---- numbers ----
for solver in ida rk euler; do
    expect 0 "" "$SOLSTICE" run t.sol --start -1 --stop 1 --steps 4 --output - --solver $solver --vars x
    [ "$(cut -d, -f1 out | tr '\n' ' ')" = "time -1 -0.5 0 0.5 1 " ] || fail "negative times: $(head out)"
done
expect 2 "too small" "$SOLSTICE" run t.sol --interval 1e-30
expect 2 "too small" "$SOLSTICE" run t.sol --max-step 1e-30
expect 2 "too small" "$SOLSTICE" run t.sol --solver euler --step 1e-30
expect 2 "wants a number" "$SOLSTICE" run t.sol --stop 1e400
expect 2 "wants a number" "$SOLSTICE" run t.sol --stop nan
expect 2 "wants a whole number" "$SOLSTICE" run t.sol --steps -3
expect 0 "" "$SOLSTICE" run t.sol --start 1 --stop 1 --output -
[ "$(wc -l <out)" = 2 ] || fail "a run of no length: $(cat out)"

# ---- words ----
expect 2 "did you mean --stop?" "$SOLSTICE" run t.sol --stpo 3
expect 2 "did you mean 'run'?" "$SOLSTICE" rn t.sol
expect 2 "'solstice run t.sol' simulates a file" "$SOLSTICE" t.sol
expect 2 "did you mean speed?" "$SOLSTICE" run t.sol --set spede=1
grep -q "results:" err && fail "a summary of a run that never began: $(cat err)"
expect 2 "there is no such variable" "$SOLSTICE" run t.sol --set q=1
grep -q "did you mean" err && fail "x is no likely meaning of q"

# ---- patterns ----
expect 0 "--vars 'y*': no variable had such a path" "$SOLSTICE" run t.sol --vars x --vars 'y*'
grep -q "'x'" err && fail "x fits: $(cat err)"
expect 2 "no variable of the result fits" "$SOLSTICE" convert t.solr none.csv --vars 'q*'
expect 2 "no variable of the result fits" "$SOLSTICE" convert t.solr none.mat --vars 'q*'
[ -e none.csv ] || [ -e none.mat ] && fail "files without columns were made"

# ---- files ----
expect 4 "Is a directory" "$SOLSTICE" run t.sol --output .
if [ "$(id -u)" != 0 ]; then # root may write anywhere
    mkdir closed && chmod 555 closed
    expect 4 "Permission denied" "$SOLSTICE" run t.sol --output closed/x.solr
fi
expect 0 "" "$SOLSTICE" run t.sol --output there.solr --steps 1000
expect 0 "2 rows" "$SOLSTICE" run t.sol --output there.solr --steps 1 # replaced, not appended
expect 0 "" "$SOLSTICE" convert there.solr
[ "$(wc -l <out)" = 3 ] || fail "an existing result is replaced: $(cat out)"

# ---- asked to end twice: at once, and what was written is readable ----
"$SOLSTICE" run t.sol --stop 1e9 --interval 0.01 --output cut.solr 2>/dev/null &
pid=$!
for i in $(seq 200); do [ -s cut.solr ] && break; sleep 0.05; done
sleep 0.2
kill -INT $pid
kill -INT $pid
wait $pid
[ $? = 130 ] || fail "Ctrl-C twice"
expect 0 "" "$SOLSTICE" convert cut.solr cut.csv
[ "$(wc -l <cut.csv)" -gt 10 ] || fail "after Ctrl-C twice: $(wc -l <cut.csv) lines"
rm -f cut.*

# ---- terminals ----
if command -v script >/dev/null; then
    echo "model M implementation: static Real x; x = y; end M;" >bad.sol
    on_terminal() { # TERM, command -> what it shows
        TERM=$1 timeout 60 script -qec "$2" /dev/null </dev/null | tr -d '\r'
    }
    on_terminal xterm "$SOLSTICE run bad.sol" | grep -q $'\033\[1;31merror' || fail "no colour on a terminal"
    on_terminal dumb "$SOLSTICE run bad.sol" | grep -q $'\033' && fail "colour on a dumb terminal"
    NO_COLOR=1 on_terminal xterm "$SOLSTICE run bad.sol" | grep -q $'\033' && fail "colour under NO_COLOR"
    on_terminal xterm "stty cols 30; $SOLSTICE run t.sol --stop 300 --interval 0.0005 --quiet --output p.solr"
    TERM=xterm timeout 60 script -qec "stty cols 30; $SOLSTICE run t.sol --stop 300 --interval 0.0005 --output p.solr" \
        /dev/null </dev/null >shown
    tr '\r' '\n' <shown | grep '\[#*\.*' | sed 's/\x1b\[K//' | awk 'length > 30 && /%/ { bad = 1 } END { exit bad }' ||
        fail "the bar is wider than the terminal: $(tr '\r' '\n' <shown | head -3)"
fi
exit $((failures > 0))
