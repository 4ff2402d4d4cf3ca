#!/bin/bash
# Dynamic arrays: the same bytes by all engines and behind a checkpoint; columns and --set by place of birth; `live`; what would never end.
. "$(dirname "$0")/../support/shell.sh"

cat >lane.sol <<'SOL'
model Car
interface:
    parameter Real k << 1;
    static Real x;
    static Real distance;
implementation:
    der(x, start << 0) = k*distance;
end Car;
model Lane
interface:
    dynamic Car cars[];
    static Integer n;
    static Real all;
    static Real noise;
implementation:
    when sample(0, 1) then cars <- Car{}; end when;
    for c in cars then
        static Real mine;
        mine << random(1);
        c.distance = if cars[c-1]? then cars[c-1].x + 1 - c.x else 2;
    end for;
    when cars[1].x > 5 then trash <- cars[1]; end when;
    n << size(cars);
    all = sum(c.x for c in cars);
    noise = sum(c.k for c in cars);
end Lane;
SOL

for engine in interp jit rebuild; do
    "$SOLSTICE" run lane.sol --stop 9 --quiet --engine $engine --output $engine.csv || fail "$engine: exit code $?"
done
cmp interp.csv jit.csv && cmp interp.csv rebuild.csv || fail "engines differ"
head -1 interp.csv | tr , '\n' | grep -qx 'cars\[7\].x' || fail "no column of the seventh car: $(head -1 interp.csv)"
head -1 interp.csv | tr , '\n' | grep -q 'mine\[7\]' || fail "no column of the seventh round"

# the third car that is born, and nobody else, is slow
"$SOLSTICE" run lane.sol --stop 3.5 --quiet --vars noise --set 'cars[3].k=0.25' --interval 3.5 --output set.csv || fail "--set"
[ "$(tail -1 set.csv)" = "3.5,1.25" ] || fail "--set: $(tail -1 set.csv)"
"$SOLSTICE" run lane.sol --stop 1 --quiet --set 'cars[1].q=0.25' 2>err && fail "a parameter that no car has"

# a run that was saved goes on with the same bytes
"$SOLSTICE" run lane.sol --stop 9 --quiet --checkpoint 4 --output saved.csv || fail "checkpoint"
cp saved.csv whole.csv
"$SOLSTICE" run lane.sol --stop 9 --quiet --checkpoint 4 --resume saved.csv.check --output saved.csv || fail "resume"
cmp saved.csv whole.csv || fail "behind a checkpoint it goes on otherwise"

# in a session: values by place of birth, an edit beside the loop, back again
printf 'run to 2.5\nshow n\nshow cars[2].k\nadd static Real extra; extra = 2*size(cars);\nshow extra\nrun to 3.5\nshow extra\nsave half\n' >script
"$SOLSTICE" live lane.sol <script >live.txt 2>&1 || fail "live: $(cat live.txt)"
grep -q 'cars\[2\].k = 1' live.txt || fail "live: $(cat live.txt)"
grep -q 'extra = ' live.txt || fail "an edit that counts: $(cat live.txt)"

# what was typed is written, and the session goes on with the text
printf 'run to 2.5\nadd static Real extra; extra = 2*size(cars);\nwrite new.sol\nrun to 4.5\nshow all\nshow extra\n' >script
"$SOLSTICE" live lane.sol <script >live.txt 2>&1 || fail "write: $(cat live.txt)"
printf 'run to 4.5\nshow all\nshow extra\n' | "$SOLSTICE" live new.sol --resume new.save >there.txt 2>&1 || fail "resume: $(cat there.txt)"
[ "$(tail -2 live.txt)" = "$(tail -2 there.txt)" ] || fail "behind 'write' it goes on otherwise: $(cat live.txt there.txt)"
grep -q 'extra = 4; *extra = 2\*size(cars)$' there.txt || fail "the text of a size: $(cat there.txt)"

cat >copy.sol <<'SOL'
model Leaf
interface: static Real x;
implementation: x = 1;
end Leaf;
model Tree
interface: dynamic Leaf leaves[];
implementation: when initial() then leaves <- Leaf{}; end when;
end Tree;
model M
interface: dynamic Tree a{}; dynamic Tree b;
implementation: when time > 1 then b << a; end when;
end M;
SOL
"$SOLSTICE" run copy.sol --stop 2 --quiet 2>err && fail "a copy of an array"
grep -q "copy.sol:6:25: error: 'leaves' is a dynamic array: what holds one is moved, not copied" err || fail "copy: $(cat err)"

cat >grow.sol <<'SOL'
model Car
interface:
    static Real x;
implementation:
    der(x, start << 0) = 1;
end Car;
model Grow
interface:
    dynamic Car cars[];
implementation:
    when initial() then cars <- Car{}; end when;
    for c in cars then
        when c.x >= 0 then cars <- Car{}; end when;
    end for;
end Grow;
SOL
"$SOLSTICE" run grow.sol --stop 1 --quiet 2>err && fail "it ended"
grep -q 'conditions still change after 1000 updates' err || fail "without end: $(cat err)"
sed -i 's/for c in cars then/for k in 1:30 then when initial() then cars <- Car{}; end when; end for; for c in cars then/' grow.sol
"$SOLSTICE" run grow.sol --stop 1 --quiet --max-instances 50 2>err && fail "it ended"
grep -q 'more than 50 instances' err || fail "too many: $(cat err)"

# the library's two models of each kind
"$SOLSTICE" run Traffic.Examples.Lane --stop 30 --quiet --audit --vars 'cars[3].x' --output l.csv || fail "Lane"
"$SOLSTICE" run Population.Examples.Culture --set V=5 --stop 300 --quiet --audit --vars absorbance --output c.csv || fail "Culture"
