#!/bin/bash
# edge, change and `when {..}` count what a program of the test counts.
. "$(dirname "$0")/../support/shell.sh"
cat >edges.sol <<'END'
model Edges
interface:
    static Integer any; static Integer one; static Integer up; static Integer moves; static Boolean b; static Integer level;
    static Integer plain; static Boolean c; // c is named by nothing but its own condition
implementation:
    when {time > 1, time > 2, sin(10*time) > 0.5} then any << pre(any) + 1; end when;
    when time > 1 or time > 2 then one << pre(one) + 1; end when;
    b << sin(6.3*time) > 0.1;
    level << if time > 2.5 then 2 else if time > 1.5 then 1 else 0;
    c << sin(6.3*time) > 0.1;
    when c and not pre(c) then plain << pre(plain) + 1; end when;
    when edge(b) then up << pre(up) + 1; end when;
    when {change(b), change(level)} then moves << pre(moves) + 1; end when;
end Edges;
END
"$SOLSTICE" run edges.sol --stop 4 --interval 4 --output edges.csv --audit --quiet || fail "edges"
tail -1 edges.csv >last
awk -F, '{ n = 400000; dt = 4/n; l = 0
    for (k = 1; k <= n; k++) { t = k*dt; s = sin(10*t) > 0.5; c = sin(6.3*t) > 0.1; m = t > 2.5 ? 2 : t > 1.5 ? 1 : 0
        any += (s && !s0) + (t > 1 && t - dt <= 1) + (t > 2 && t - dt <= 2); up += c && !c0; moves += (c != c0) + (m != l); s0 = s; c0 = c; l = m }
    if ($2 != any || $3 != 1 || $4 != up || $5 != moves || $8 != up) { print any, 1, up, moves, up; exit 1 } }' last >wanted || fail "edges: $(cat last), not $(cat wanted)"
exit $((failures > 0))
