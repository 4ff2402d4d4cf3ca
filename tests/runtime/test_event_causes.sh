#!/bin/bash
# Events in which no condition changed say what they are; a start that counts again is told the first time.
. "$(dirname "$0")/../support/shell.sh"

cat >models.sol <<'END'
model Stairs
interface:
    static Real x; static Real y; static Boolean due; static Boolean high;
implementation:
    static Part part;
    y = floor(x = 4*time);
    der(x = x, start << 0) = y - part.y;
    due << Sample(interval = 0.4);
    if x > 0.1 then high << true; else then high << false; end if;
end Stairs;
model Part
interface:
    static Real y;
implementation:
    y = mod(a = time, b = 0.6);
end Part;
model Again
interface:
    static Real x; static Real z; static Real kept;
implementation:
    static Real rate;
    der(x = kept, start << 1) = rate;
    if mod(a = time, b = 2) < 1 then
        rate = 1;
        der(x = x, start << 1) = 1;
        der(x = z, start << kept) = 1;
    else then
        rate = -1;
        der(x = x) = 1;
        der(x = z) = 1;
    end if;
end Again;
// A pendulum that turns over: its states are chosen anew on the way.
model Turning
interface:
    static Real x; static Real y;
implementation:
    static Real vx; static Real vy; static Real f;
    vx = der(x = x, start << 1);
    vy = der(x = y, start << 0);
    der(x = vx, start << 0) = -f*x;
    der(x = vy, start << 5) = -f*y - 9.81;
    x^2 + y^2 = 1;
end Turning;
END

triggers() { # model, stop -> "time: texts" of its events
    timeout 60 "$SOLSTICE" run "models.sol:$1" --stop "$2" --audit --stats stats.json --output r.solr --quiet >out 2>err ||
        fail "$1: $(cat err)"
    awk '/"triggers":/ { match($0, /"time": [0-9.e+-]+/); time = substr($0, RSTART + 8, RLENGTH - 8)
                     match($0, /"triggers": \[[^]]*\]/); printf "%.3f %s\n", time, substr($0, RSTART + 12, RLENGTH - 12) }' stats.json
}

triggers Stairs 1 >found
cat >expected <<'END'
0.250 ["floor jumps in y = floor(4*time)"]
0.400 ["Sample(interval = 0.4)"]
0.500 ["floor jumps in y = floor(4*time)"]
0.600 ["mod jumps in part.y = mod(time, 0.6)"]
END
grep -v '"x > 0.1"' found | head -4 | diff expected - || fail "events of Stairs"
grep -q '"x > 0.1"' found || fail "the condition is no trigger: $(cat found)"
grep -q '\[\]' found && fail "an event without a text: $(cat found)"

triggers Turning 3 >found
grep -q '"other states are chosen"' found || fail "states: $(cat found)"
grep -q '\[\]' found && fail "an event without a text: $(cat found)"

triggers Again 5 >found
[ "$(grep -c 'warning: at time 2 this branch is entered and x starts at 1: it was 3' err)" = 1 ] || fail "starts again: $(cat err)"
[ "$(grep -c warning err)" = 1 ] || fail "more than one warning: $(cat err)"
grep -q 'a derivative that stands outside of the branches goes on' err || fail "no way out: $(cat err)"
"$SOLSTICE" convert r.solr --vars x --vars z --vars kept | awk -F, 'END {
    if ($2 < 1.99 || $2 > 2.01 || $3 < 1.99 || $3 > 2.01 || $4 < 1.99 || $4 > 2.01) { print; exit 1 } }' || fail "values"

exit $((failures > 0))
