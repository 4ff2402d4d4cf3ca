#!/bin/bash
# `solstice linearize`: matrices and eigenvalues against closed forms; behind an event; wrong inputs; CSV, MAT, picture.
. "$(dirname "$0")/../support/shell.sh"

cat >osc.sol <<'SOL'
model Osc
interface:
  parameter Real k << 4;
  parameter Real u << 1;
  static Real x; static Real v; static Real y; static Real z;
implementation:
  der(x = x, start << 1) = v;
  der(x = v) = -k*x - 0.4*v + u;
  der(x = z) = -3*z + x*x;
  y = x + 2*v + 3*u;
end Osc;
SOL

value() { # matrix, row, column: of out.csv
    awk -F, -v m="$1" -v r="$2" -v c="$3" '$1 == m && $2 == r && $3 == c { print $4 }' out.csv
}
near() { # what, is, should be, within
    awk -v a="$2" -v b="$3" -v e="$4" 'BEGIN { d = a - b; exit !(a != "" && d <= e && -d <= e) }' || fail "$1: $2, not $3"
}

# der(z) by x is 2 x; the eigenvalues -0.2 +- sqrt(4 - 0.04) i, and -3
"$SOLSTICE" linearize osc.sol --in u --in k --out y --output out.csv --plot out.svg >text || fail "exit code $?"
near A "$(value A 'der(v)' x)" -4 0
near A "$(value A 'der(z)' x)" 2 0
near B "$(value B 'der(v)' k)" -1 0
near C "$(value C y v)" 2 0
near D "$(value D y u)" 3 0
near re "$(value eigenvalue 1 re)" -0.2 1e-14
near im "$(value eigenvalue 1 im)" 1.98997487421323990 1e-14
near slow "$(value eigenvalue 3 re)" -3 1e-14
grep -q '^-0.2 +- 1.989975i *5 *0.3167143 *0.1$' text || fail "no line of the pair: $(cat text)"
[ "$(grep -c '<title>' out.svg)" = 3 ] || fail "the picture has other than three eigenvalues"
"$SOLSTICE" linearize osc.sol --in u --out y --output out.mat >text || fail "exit code $?"
[ "$(head -c 20 out.mat | od -An -tu4 -w20 | tr -s ' ')" = " 0 3 3 0 2" ] || fail "out.mat begins with something else"
for name in A B C D eigenvalues xNames uNames yNames; do
    grep -qa "$name" out.mat || fail "no $name in out.mat"
done

# der(z) by x is 2 x at any time: x(1) of the damped oscillator around 1/4
"$SOLSTICE" linearize osc.sol --at 1 --rtol 1e-10 --output out.csv >text || fail "exit code $?"
near 'at 1' "$(value A 'der(z)' x)" \
    "$(awk 'BEGIN { w = sqrt(3.96); print 2*(0.25 + 0.75*exp(-0.2)*(cos(w) + 0.2/w*sin(w))) }')" 1e-5

# A circuit with loops: L = 0.5 H, R = 2, C = 0.1 F: s^2 + 4 s + 20 = 0, -2 +- 4i. Its switch opens at 0.3: 1/(RC) is left.
cat >rlc.sol <<'SOL'
model RLC
interface:
  static Electric.Basic.Resistor R{R << 2};
  static Electric.Basic.Inductor L{L << 0.5};
  static Electric.Basic.Capacitor C{C << 0.1, u_start << 1};
  static Electric.Basic.Resistor leak{R << 5};
  static Electric.Switches.Switch S;
  static Electric.Switches.Switch T;
  static Electric.Sources.Ground G;
implementation:
  connection{a << R.n, b << L.p}; connection{a << L.n, b << S.p}; connection{a << S.n, b << C.p};
  connection{a << C.n, b << R.p}; connection{a << C.n, b << G.p};
  connection{a << leak.p, b << T.p}; connection{a << T.n, b << C.p}; connection{a << leak.n, b << G.p};
  S.command << time < 0.3;
  T.command << time >= 0.3;
end RLC;
SOL
"$SOLSTICE" linearize rlc.sol --at 0.1 --output out.csv >text 2>err || fail "rlc: exit code $?: $(cat err)"
near 'rlc re' "$(value eigenvalue 1 re)" -2 1e-9
near 'rlc im' "$(value eigenvalue 1 im)" 4 1e-9
"$SOLSTICE" linearize rlc.sol --at 2 --output out.csv >text 2>err || fail "rlc: exit code $?: $(cat err)"
near 'behind the event' "$(value eigenvalue 1 re)" -2 1e-9
[ -z "$(value eigenvalue 2 re)" ] || fail "more than one state is left"

# A state of a loop that is not linear: der(x) = -y, y + y^3 = x: -1/(1 + 3 y^2), y = 1 at x = 2.
cat >cubic.sol <<'SOL'
model Cubic
interface:
  static Real x; static Real y;
implementation:
  der(x = x, start << 2) = -y;
  y + y*y*y = x;
end Cubic;
SOL
"$SOLSTICE" linearize cubic.sol --output out.csv >text || fail "cubic: exit code $?"
near cubic "$(value A 'der(x)' x)" -0.25 1e-12

# Shares: the pair belongs to x and v, half each (|w v| = 4/|l| = |l| = 2), -3 to z alone.
"$SOLSTICE" linearize osc.sol --output out.csv >text || fail "exit code $?"
near 'share of x' "$(value participation 1 x)" 0.5 1e-12
near 'share of v' "$(value participation 2 v)" 0.5 1e-12
near 'share of z in the pair' "$(value participation 1 z)" 0 1e-12
near 'share of z' "$(value participation 3 z)" 1 1e-12
grep -q '^-3 *z 100 %$' text || fail "no shares: $(cat text)"
grep -q '^ida *any up to order 3 (--max-order 3)$' text || fail "no order: $(cat text)" # 84 degrees

# Steps at the limit of stability. Curtiss and Hirschfelder: -50. Of Dormand and Prince the limit is where
# 1 + z + .. + z^5/120 + z^6/600 is 1 again.
cat >stiff.sol <<'SOL'
model Curtiss
interface:
  static Real y;
implementation:
  der(x = y, start << 0) = -50*(y - cos(time));
end Curtiss;
model VanDerPol
interface:
  parameter Real e << 20;
  parameter Real y0 << 1;
  parameter Real z0 << -1;
  static Real y; static Real z;
implementation:
  der(x = y, start << y0) = z;
  der(x = z, start << z0) = e*(1 - y*y)*z - y;
end VanDerPol;
SOL
"$SOLSTICE" linearize stiff.sol:Curtiss --output out.csv >text || fail "exit code $?"
near 'euler' "$(value step euler '')" 0.04 1e-15
near 'rk' "$(value step rk '')" "$(awk 'BEGIN {
    a = 3; b = 4
    for (i = 0; i < 60; i++) {
        m = (a + b)/2; z = -m; r = 1 + z + z^2/2 + z^3/6 + z^4/24 + z^5/120 + z^6/600
        if (r <= 1) a = m; else b = m
    }
    printf "%.17g", a/50 }')" 1e-12
last() { # step: |y - cos t| at the end of 2000 steps of Euler'"'"'s method, as the program computes it
    "$SOLSTICE" run stiff.sol:Curtiss --solver euler --step "$1" --stop "$(awk -v h="$1" 'BEGIN { print 2000*h }')" \
        --interval 100 --output run.csv --quiet 2>err || { echo failed; return; }
    awk -F, 'END { d = $2 - cos($1); print (d < 0 ? -d : d) }' run.csv
}
awk -v d="$(last 0.0399)" 'BEGIN { exit !(d < 1.1) }' || fail "below the limit: $(last 0.0399)"
awk -v d="$(last 0.0402)" 'BEGIN { exit !(d > 1e3) }' || fail "beyond the limit: $(last 0.0402)"

# With adaptive steps the limit is what Dormand and Prince's method is held to: a hundred times the limit takes about a hundred steps.
"$SOLSTICE" run stiff.sol:Curtiss --solver rk --rtol 1e-3 --atol 1e-3 --stop 26.6 --interval 26.6 --output run.csv 2>text || fail "rk: exit code $?"
steps=$(sed -n 's/.*: \([0-9]*\) steps.*/\1/p' text)
limit=$(awk -v h="$(value step rk '')" 'BEGIN { print 26.6/h }')
awk -v n="$steps" -v m="$limit" 'BEGIN { exit !(n > m && n < 1.3*m) }' || fail "rk: $steps steps, at the limit $limit"

# Van der Pol: at y = 1, z = -1 A is (0 1; 39 0).
"$SOLSTICE" linearize stiff.sol:VanDerPol --output out.csv >text || fail "exit code $?"
near 'van der pol' "$(value eigenvalue 1 re)" 6.2449979983983983 1e-9
near 'van der pol' "$(value eigenvalue 2 re)" -6.2449979983983983 1e-9
near 'its step' "$(value step euler '')" 0.32025630761017426 1e-9
# On its way the fastest eigenvalue is that behind the jump: 2/0.03265.
"$SOLSTICE" linearize stiff.sol:VanDerPol --at 1 --every 0.005 --rtol 1e-9 --output course.csv --plot course.svg >text || fail "exit code $?"
[ "$(grep -c '<circle' course.svg)" = 402 ] || fail "the picture has other than 201 times two points"
least=$(awk -F, 'NR > 1 && $1 > 0.4 && $3 < 0 { h = -2*$3/($3*$3 + $4*$4); if (!m || h < m) m = h } END { print m }' course.csv)
near 'the least step' "$least" 0.0326524 2.5e-6

# From there, disturbed: what is off dies away below the limit, grows beyond it, and further on the run fails.
after() { # times the limit: der(y) after 1 s of Euler'"'"'s method
    "$SOLSTICE" run stiff.sol:VanDerPol --set y0=-2.0155 --set z0=0.5 --solver euler --step "$(awk -v h="$least" -v f="$1" 'BEGIN { print f*h }')" \
        --stop 1 --interval 1 --output run.csv --quiet 2>err || { echo "failed with $?"; return; }
    awk -F, 'END { print ($NF < 0 ? -$NF : $NF) }' run.csv
}
for below in 0.5 0.9 0.98; do
    awk -v z="$(after $below)" 'BEGIN { exit !(z > 0 && z < 0.06) }' || fail "at $below of the limit: $(after $below)"
done
awk -v z="$(after 1.05)" 'BEGIN { exit !(z > 0.6) }' || fail "at 1.05 of the limit: $(after 1.05)"
for beyond in 1.15 1.3; do
    [ "$(after $beyond)" = "failed with 3" ] || fail "at $beyond of the limit: $(after $beyond)"
done
grep -q 'error: at time 0.[0-9]*, der(z) is -\?inf' err || fail "another message: $(cat err)"
expect 2 '--every wants --at behind the start: how far' "$SOLSTICE" linearize osc.sol --every 1
expect 2 '--every wants a positive number' "$SOLSTICE" linearize osc.sol --every 0 --at 1
expect 2 '--every shows eigenvalues alone' "$SOLSTICE" linearize osc.sol --every 1 --at 1 --in u

expect 2 'x is no input: a Real parameter or a variable that is held is wanted' "$SOLSTICE" linearize osc.sol --in x
expect 2 "no variable 'q' at time 0" "$SOLSTICE" linearize osc.sol --out q
expect 2 '--output wants a name that ends with .csv or .mat' "$SOLSTICE" linearize osc.sol --output x.txt
expect 2 '--plot wants a name that ends with .svg' "$SOLSTICE" linearize osc.sol --plot x.png
expect 4 'No such file' "$SOLSTICE" linearize osc.sol --output none/x.csv
expect 4 '' "$SOLSTICE" linearize missing.sol
exit $((failures > 0))
