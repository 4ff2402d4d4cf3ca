#!/bin/bash
# delay(x, T): closed forms by the method of steps, all solvers and engines, jumps, births, loops, checkpoints, sessions, messages.
. "$(dirname "$0")/../support/shell.sh"

# x' = -x(t-1), x = 1 before: the sum of (-1)^k (t-k+1)^k / k!
cat >steps.sol <<'SOL'
model Steps
interface:
    parameter Real p << 1;
    static Real x;
implementation:
    der(x, start << p) = -delay(x, 1);
end Steps;
SOL
worst() { # FILE BOUND: of column 2
    awk -F, -v most="$2" 'NR > 1 {
        x = 0; f = 1
        for (k = 0; k <= $1 + 1 && (k == 0 || $1 - k + 1 > 0); k++) { if (k) f *= -k; x += ($1 - k + 1)^k/f }
        d = x - $2; if (d < 0) d = -d; if (d > w) w = d; n++ }
        END { print w; exit !(n > 10 && w <= most) }' "$1"
}
for solver in ida rk rodas "inline --method radau5"; do
    for engine in interp jit rebuild; do
        "$SOLSTICE" run steps.sol --stop 8 --vars x --interval 0.1 --rtol 1e-9 --solver $solver --engine $engine --audit --quiet --output "$engine.csv" ||
            fail "$solver, $engine: exit code $?"
    done
    cmp interp.csv jit.csv && cmp interp.csv rebuild.csv || fail "$solver: engines differ"
    worst jit.csv 2e-8 >off || fail "$solver: off by $(cat off)"
done
"$SOLSTICE" run steps.sol --stop 8 --vars x --interval 0.1 --solver euler --step 1e-4 --audit --quiet --output euler.csv || fail "euler"
worst euler.csv 1e-3 >off || fail "euler: off by $(cat off)"
"$SOLSTICE" run steps.sol --stop 8 --solver euler --step 2 --quiet 2>err && fail "a step that is longer than the delay"
grep -q 'a delay is shorter than the step of the integration' err || fail "long steps: $(cat err)"

# a square wave that jumps 0.7 later; a sine; a loop without states, w(t) = w(t - 1/4)/2 + 1 + sin(t)
cat >waves.sol <<'SOL'
model Waves
interface:
    static Real u;
    static Real y;
    static Real z;
    static Real w;
    static Integer seen;
implementation:
    u = if sin(3*time) > 0 then 1 else 0;
    y = delay(u, 0.7);
    z = delay(sin(20*time), 0.3);
    w = 0.5*delay(w, 0.25) + 1 + sin(time);
    when y > 0.5 then seen << pre(seen) + 1; end when;
end Waves;
SOL
"$SOLSTICE" run waves.sol --stop 6 --interval 0.01 --rtol 1e-9 --audit --quiet --output waves.csv || fail "waves: exit code $?"
awk -F, 'function w(t) { return t <= 0 ? 2 : 0.5*w(t - 0.25) + 1 + sin(t) }
    function off(a, b) { a -= b; return a < 0 ? -a : a }
    NR > 1 && $1 != last { t = $1 - 0.7; y = t > 0 && sin(3*t) > 0
        if (off($3, y) > 1e-12 && off(sin(3*t), 0) > 1e-9 && t > 1e-9) { print "y at", $1; bad = 1 }
        if (off($4, $1 < 0.3 ? 0 : sin(20*($1 - 0.3))) > 1e-8) { print "z at", $1; bad = 1 }
        if (off($5, w($1)) > 1e-7) { print "w at", $1, $5 - w($1); bad = 1 } }
    { last = $1 }
    END { if ($6 != 3) print "seen", $6; exit bad || $6 != 3 }' waves.csv >off || fail "waves: $(head -5 off)"
awk -F, 'NR > 1 && $3 == 0 { exit !($1 > 1.74719755119659 && $1 < 1.7471975511966) }' waves.csv || fail "the jump comes at another time"

# two parts that see each other by delays only; what is no state; a delay that varies
cat >two.sol <<'SOL'
model Two
interface:
    static Real x;
    static Real z;
    static Real b;
    static Real v;
implementation:
    der(x, start << 1) = -delay(z, 0.5);
    der(z, start << 0) = delay(x, 0.25);
    b = delay(3*x + sin(time), 0.8);
    v = delay(exp(0.5*time), 1 + 0.5*sin(time), 2);
end Two;
SOL
"$SOLSTICE" run two.sol --stop 6 --interval 0.05 --rtol 1e-9 --checkpoint 2.6 --audit --quiet --output two.solr || fail "two parts: exit code $?"
"$SOLSTICE" convert two.solr two.csv || fail convert
awk -F, '{ x[$1] = $2; z[$1] = $3; t[NR] = $1 }
    function off(a, b) { a -= b; return a < 0 ? -a : a }
    NR > 2 && $1 > 0.8 + 1e-9 { s = sprintf("%.12g", $1 - 0.8); if (s in x) { n++; if (off($4, 3*x[s] + sin(s)) > 1e-7) bad = 1 } }
    NR > 1 { s = $1 - 1 - 0.5*sin($1); if (off($5, s < 0 ? 1 : exp(0.5*s)) > 1e-7) { print "v at", $1; bad = 1 } }
    END { exit bad || n < 50 }' two.csv || fail "two parts"
cp two.csv whole.csv
"$SOLSTICE" run two.sol --stop 6 --interval 0.05 --rtol 1e-9 --checkpoint 2.6 --audit --quiet --resume two.check --output two.solr || fail "resume"
"$SOLSTICE" convert two.solr two.csv || fail convert
cmp two.csv whole.csv || fail "behind a checkpoint it goes on otherwise"
"$SOLSTICE" verify two.sol --stop 4 >verify.txt 2>&1 || fail "verify: $(cat verify.txt)"

# births and deaths: before its birth the history is x at birth; copies begin anew; dynamic arrays
cat >births.sol <<'SOL'
model Line
interface:
    parameter Real T << 0.5;
    in Real u;
    out Real y;
implementation:
    y = delay(u, T);
end Line;
model Births
interface:
    static Real x;
    static Real y;
    static Real s;
    static Real copied;
implementation:
    dynamic Line line;
    dynamic Line other;
    dynamic Line all[];
    der(x, start << 0) = 1;
    when time >= 1 then line <- Line{T << 0.5}; end when;
    when time >= 2 then other << line; end when;
    when time >= 3 then trash <- line; end when;
    if line? then line.u = x; y = line.y; else then y = -1; end if;
    if other? then other.u = 2*x; copied = other.y; else then copied = -1; end if;
    when sample(0, 1) then all <- Line{T << 0.25}; end when;
    for d in all then d.u = x; end for;
    s = sum(d.y for d in all);
end Births;
SOL
"$SOLSTICE" run births.sol --stop 3.9 --interval 0.1 --rtol 1e-9 --vars x --vars y --vars s --vars copied --audit --quiet --output births.csv || fail "births: exit code $?"
awk -F, 'function off(a, b) { a -= b; return a < 0 ? -a : a }
    function near(a) { return off(a, int(a + 0.5)) < 1e-6 }
    NR > 1 && !near($1) && !near($1*4) { t = $1
        y = t < 1 || t > 3 ? -1 : t < 1.5 ? 1 : t - 0.5
        c = t < 2 ? -1 : t < 2.5 ? 4 : 2*(t - 0.5)
        s = 0; for (b = 0; b < t; b++) s += t < b + 0.25 ? b : t - 0.25
        if (off($3, y) > 1e-8 || off($4, s) > 1e-8 || off($5, c) > 1e-8) { print t, $3, y, $4, s, $5, c; bad = 1 } }
    END { exit bad }' births.csv >off || fail "births: $(head -3 off)"

# in a session: born by an edit, undone, and saved
printf 'run to 2\nadd Real q; q = delay(x, 0.5)\nrun to 2.25\nshow q\nundo\nadd Real q; q = delay(2*x, 0.5)\nsave half\nrun to 3\nshow q\n' >script
"$SOLSTICE" live steps.sol --rtol 1e-10 <script >live.txt 2>&1 || fail "live: $(cat live.txt)"
[ "$(grep -o '^ok: q = [-0-9.]*' live.txt | cut -c9-16 | tr '\n' ' ')" = "-0.5 -0.79166 " ] || fail "live: $(cat live.txt)"
printf 'run to 3\nshow q\n' | "$SOLSTICE" live steps.sol --rtol 1e-10 --resume half >there.txt 2>&1 || fail "resume: $(cat there.txt)"
[ "$(tail -1 live.txt)" = "$(tail -1 there.txt)" ] || fail "behind 'save' it goes on otherwise: $(cat live.txt there.txt)"

# what is wrong
wrong() { # TEXT MESSAGE
    printf 'model M\ninterface: parameter Real p << 1; static Real x; static Real y;\nimplementation: x = sin(time); %s\nend M;\n' "$1" >wrong.sol
    "$SOLSTICE" run wrong.sol --stop 1 --quiet 2>err && fail "accepted: $1"
    grep -qF "$2" err || fail "$1: $(cat err)"
}
wrong 'y = delay(x, 0);' 'a delay must be positive, it is 0'
wrong 'y = delay(x, p - 2);' 'a delay must be positive, it is -1'
wrong 'y = delay(x, x + 2);' "this delay varies: 'delay(x, T, longest)' says how long it can become"
wrong 'y = delay(x, x + 0.01 - time, 2);' 'a delay is shorter than the step of the integration'
wrong 'y = delay(x, 3 + x, 2);' 'it is longer than it may be, 2'
wrong 'when x > 0.5 then y << delay(x, 1); end;' "'delay' cannot stand in a 'when'"
wrong 'y = noEvent(delay(x, 1));' "'delay' cannot stand in 'noEvent'"
"$SOLSTICE" run steps.sol --stop 1 --sensitivity p --quiet 2>err && fail "sensitivity"
grep -q "there are no sensitivities" err || fail "sensitivity: $(cat err)"
exit $((failures > 0))
