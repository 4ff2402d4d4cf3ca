#!/bin/bash
# Conditional expressions against closed forms; the value that is not chosen is not computed; `connect` is `connection`.
. "$(dirname "$0")/../support/shell.sh"

cat >chain.sol <<'END'
model Chain
interface:
    parameter Real p << 2;
    parameter Real q << if p > 1 then 10 else 20;
    static Real x;
    static Real y;
implementation:
    der(x, start << if p > 1 then 0.5 else 1) = if x < 1 then 1 else if x < 2 then 2 else 3;
    y = q + 2*(if time < 0.5 then time else 0.5);
end Chain;
END
"$SOLSTICE" run chain.sol --stop 2 --interval 0.25 --rtol 1e-9 --output chain.csv --audit --quiet || fail "chain"
awk -F, 'NR > 1 { t = $1; x = t < 0.5 ? 0.5 + t : t < 1 ? 1 + 2*(t - 0.5) : 2 + 3*(t - 1); y = 10 + 2*(t < 0.5 ? t : 0.5)
    if (($4 - x)^2 > 1e-16 || ($5 - y)^2 > 1e-16) { print; bad = 1 } rows++ } END { exit bad || rows < 9 }' chain.csv || fail "chain: $(cat chain.csv)"
"$SOLSTICE" run chain.sol --set p=1 --stop 0 --output chain.csv --quiet && grep -q '^0,1,20,1,20' chain.csv || fail "p = 1: $(cat chain.csv)"

# 12/n where n counts down to 0 and on from 5
cat >safe.sol <<'END'
model Safe
interface:
    static Integer n;
    static Real z;
implementation:
    if initial() then
        n << 2;
    else then
        when Sample(interval = 1) then n << if pre(n) > 0 then pre(n) - 1 else 5; end when;
    end if;
    z = if n > 0 then 12/n else 0;
end Safe;
END
"$SOLSTICE" run safe.sol --stop 4 --interval 1 --output safe.csv --audit --quiet || fail "safe"
[ "$(tr '\n' ' ' <safe.csv)" = "time,n,z 0,2,6 1,2,6 1,1,12 2,1,12 2,0,0 3,0,0 3,5,2.4 4,5,2.4 4,4,3 " ] || fail "safe: $(cat safe.csv)"

# an ideal switch: which variable the equation determines depends on the choice
cat >switch.sol <<'END'
model Switch
interface:
    static Real u;
    static Real i;
implementation:
    0 = (if time > 1 then u else i);
    u = 5 - 10*i;
end Switch;
END
"$SOLSTICE" run switch.sol --stop 2 --interval 2 --output switch.csv --audit --quiet || fail "switch"
[ "$(tail -1 switch.csv)" = "2,0,0.5" ] && grep -q '^0,5,0$' switch.csv || fail "switch: $(cat switch.csv)"
"$SOLSTICE" flat switch.sol >flat.txt && grep -qF '0 = (if time > 1 ..);' flat.txt && grep -qF '(if time > 1 ..) = i;' flat.txt || fail "flat: $(cat flat.txt)"

# what was saved in the middle goes on in the same way
printf 'run to 2.5\nsave half\n' | "$SOLSTICE" live safe.sol >/dev/null
printf 'run to 2.9\nshow z\nrun to 3.5\nshow z\n' | "$SOLSTICE" live safe.sol --resume half >live.txt 2>&1
[ "$(grep -o '^ok: z = [0-9.]*' live.txt | tr '\n' ' ')" = "ok: z = 0 ok: z = 2.4 " ] || fail "resume: $(cat live.txt)"

# a statement with a choice is entered and taken away while the model runs, choice and all
printf '%s\n' 'run to 0.5' 'add Real w; w = 3 + (if z > 7 then 1 else 2)' 'show w' 'run to 1.5' 'show w' 'list' 'remove +1' 'add Real w; w = 9' \
    'run to 2.5' 'show w' 'undo' 'undo' 'run to 3' | "$SOLSTICE" live safe.sol >live.txt 2>&1 || fail "live: $(cat live.txt)"
grep -q 'refused\|error\|incomplete' live.txt && fail "live: $(cat live.txt)"
[ "$(grep -o '^ok: w = [0-9]*' live.txt | tr '\n' ' ')" = "ok: w = 5 ok: w = 4 ok: w = 9 " ] || fail "live: $(cat live.txt)"

cat >wire.sol <<'END'
connector Pin
interface:
    static potential Real v;
    static flow Real i;
end Pin;
model Source
interface:
    static Pin p;
implementation:
    p.v = 6;
end Source;
model Load
interface:
    static Pin p;
implementation:
    p.v = 3*p.i;
end Load;
model Wire
interface:
    static Real i;
implementation:
    static Source s;
    static Load l;
    connect(s.p, l.p);
    i = l.p.i;
    static Real connect; // a name like any other where it is declared
    connect = 1;
end Wire;
END
"$SOLSTICE" check wire.sol >/dev/null 2>err && fail "'connect' is a member of this model, and so no connection"
sed -i '/connect = 1/d; /Real connect/d' wire.sol
"$SOLSTICE" run wire.sol --stop 1 --interval 1 --output - --vars i --audit --quiet | tail -1 | grep -qx '1,2' || fail "connect"

exit $((failures > 0))
