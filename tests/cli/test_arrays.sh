#!/bin/bash
# Arrays and loops against closed forms: a heat rod, a ladder, a plate, bodies on a circle. Then what else they do: sizes,
# columns, `--set`, one shape, events, edits, checkpoints, hostile sizes.
. "$(dirname "$0")/../support/shell.sh"

cat >rod.sol <<'END'
model Rod
interface:
    parameter Integer n << 10;
    static Real T[n];
implementation:
    for i in 2:n-1 then
        der(T[i], start << sin(3.141592653589793*i/(n + 1))) = T[i-1] - 2*T[i] + T[i+1];
    end for;
    der(T[1], start << sin(3.141592653589793/(n + 1))) = T[2] - 2*T[1];
    der(T[n], start << sin(3.141592653589793*n/(n + 1))) = T[n-1] - 2*T[n];
end Rod;
END
# a mode of the discrete rod goes down by exp(-4 sin^2(pi/(2(n+1))) t)
for n in 3 10 40; do
    "$SOLSTICE" run rod.sol --set n=$n --stop 2 --interval 0.5 --rtol 1e-9 --atol 1e-12 --output rod.csv --audit --quiet || fail "rod"
    awk -F, -v n=$n 'BEGIN { pi = atan2(0, -1); l = 4*sin(pi/(2*(n + 1)))^2 }
        NR > 1 { for (i = 1; i <= n; i++) { d = $(i + 2) - sin(pi*i/(n + 1))*exp(-l*$1); if (d*d > 1e-14) bad++ } rows++ }
        END { exit bad || rows != 5 }' rod.csv || fail "rod of $n: $(tail -1 rod.csv)"
done

cat >plate.sol <<'END'
model Plate
interface:
    parameter Integer n << 6;
    static Real T[n, n];
implementation:
    T[1, :] = 0; T[n, :] = 0; T[2:n-1, 1] = 0; T[2:n-1, n] = 0;
    Real s[n];
    for i in 1:n then s[i] = sin(3.141592653589793*(i - 1)/(n - 1)); end for;
    for i in 2:n-1 then
        der(T[i, 2:n-1], start << s[i]*s[2:n-1]) =
            T[i-1, 2:n-1] + T[i+1, 2:n-1] + T[i, 1:n-2] + T[i, 3:n] - 4*T[i, 2:n-1];
    end for;
end Plate;
END
for n in 3 6 12; do
    "$SOLSTICE" run plate.sol --set n=$n --stop 1 --interval 0.5 --rtol 1e-9 --atol 1e-12 --output plate.csv --vars 'T*' --audit --quiet || fail "plate"
    tr -d '"' <plate.csv | awk -F, -v n=$n 'BEGIN { pi = atan2(0, -1); l = 8*sin(pi/(2*(n - 1)))^2 }
        NR > 1 { for (i = 0; i < n; i++) for (j = 0; j < n; j++) { d = $(i*n + j + 2) - sin(pi*i/(n - 1))*sin(pi*j/(n - 1))*exp(-l*$1); if (d*d > 1e-14) bad++ } rows++ }
        END { exit bad || rows != 3 }' || fail "plate of $n"
done

cat >ladder.sol <<'END'
connector Pin
interface:
    static potential Real v;
    static flow Real i;
end Pin;
model Section
interface:
    parameter Real R;
    static Pin a;
    static Pin b;
implementation:
    a.v - b.v = R*(a.i - 0);
    a.i + b.i = b.v/R;
end Section;
model Ladder
interface:
    parameter Integer n << 5;
    static Section s[n]{R << 2};
implementation:
    s[1].a.v = 1;
    for k in 1:n-1 then connect(s[k].b, s[k+1].a); end for;
    s[n].b.i = 0;
end Ladder;
END
# resistors in series and to ground: the input resistance is R F(2n+1)/F(2n) with Fibonacci's numbers
for n in 1 2 5 30; do
    "$SOLSTICE" run ladder.sol --set n=$n --stop 0 --output ladder.csv --vars 's[1].a.i' --audit --quiet || fail "ladder"
    awk -F, -v n=$n 'BEGIN { f[1] = f[2] = 1; for (k = 3; k <= 2*n + 1; k++) f[k] = f[k-1] + f[k-2] }
        NR == 2 { d = $2 - f[2*n]/f[2*n+1]/2; exit d*d > 1e-24 }' ladder.csv || fail "ladder of $n: $(cat ladder.csv)"
done
"$SOLSTICE" run ladder.sol --set n=2 --set 's[2].R=6' --stop 0 --output - --vars 's[1].a.i' --quiet | tail -1 >one
awk -F, '{ d = $2 - 1/(2 + 1/(1/2 + 1/12)); exit d*d > 1e-24 }' one || fail "--set of an element: $(cat one)"

# equal masses on a circle stay there: omega^2 = sum over k of 1/(4 sin(pi k/n))
cat >bodies.sol <<'END'
model Bodies
interface:
    parameter Integer n << 5;
    static Real x[n]; static Real y[n]; static Real vx[n]; static Real vy[n];
implementation:
    define pi as 3.141592653589793;
    Real w; w = sqrt(sum(0.25/sin(pi*k/n) for k in 1:n-1));
    for i in 1:n then
        der(x[i], start << cos(2*pi*i/n)) = vx[i]; der(y[i], start << sin(2*pi*i/n)) = vy[i];
        Real q[n]; // 1/distance^3, 0 to itself
        for j in 1:n then q[j] = if i == j then 0 else ((x[j] - x[i])^2 + (y[j] - y[i])^2)^(-1.5); end for;
        der(vx[i], start << -w*sin(2*pi*i/n)) = q*x - x[i]*sum(q);
        der(vy[i], start << w*cos(2*pi*i/n)) = q*y - y[i]*sum(q);
    end for;
end Bodies;
END
sed -i '/define pi/d; s/^model Bodies/&\n    define pi as 3.141592653589793;/' bodies.sol
for n in 2 3 5; do
    "$SOLSTICE" run bodies.sol --set n=$n --stop 2 --interval 1 --rtol 1e-10 --atol 1e-12 --output bodies.csv --vars 'x*' --audit --quiet || fail "bodies"
    awk -F, -v n=$n 'BEGIN { pi = atan2(0, -1); for (k = 1; k < n; k++) w += 0.25/sin(pi*k/n); w = sqrt(w) }
        NR > 1 { for (i = 1; i <= n; i++) { d = $(i + 1) - cos(2*pi*i/n + w*$1); if (d*d > 1e-12) bad++ } rows++ } END { exit bad || rows != 3 }' bodies.csv ||
        fail "$n bodies: $(cat bodies.csv)"
done

# products, sums, slices, `end`, sizes: against numbers worked out by hand
cat >matrix.sol <<'END'
model Part
interface:
    parameter Integer n;
    parameter Real k[n];
    static Real y;
implementation:
    y = sum(k[2:end]) + 100*size(k);
end Part;
model Matrix
interface:
    static Real A[2, 3]; static Real B[3, 2]; static Real C[2, 2]; static Real x[3]; static Real y[2]; static Real z[3];
    static Real s; static Real m; static Real t; static Real p; static Real none;
implementation:
    for i in 1:2 then for j in 1:3 then A[i, j] = i + 10*j; end for; end for;
    B = transpose(A);
    x = {1, 2, 3};
    y = A*x; C = A*B; z = y*A;
    s = x*x + sum(x[i]^i for i in 1:3) + sum(i*j for i in 1:2, j in 0:3);
    m = max(A) + 100*min(A[2, 2:end]) + 10000*product(x);
    t = max(sin(x)) + size(A, 2);
    Part part{n << 4, k << {1, 2, 3, 4}};
    p = part.y;
    none = sum(x[4:3]) + product(i for i in 5:4);
end Matrix;
END
"$SOLSTICE" run matrix.sol --stop 0 --output matrix.csv --vars y* --vars 'C*' --vars 'z*' --vars s --vars m --vars p --vars none --audit --quiet || fail "matrix"
tr -d '"' <matrix.csv | tail -1 | grep -qx '0,1523,1586,1586,1652,146,152,3430,6410,9390,64,62232,409,1' || fail "matrix: $(cat matrix.csv)"

# a thousand equal cells share their shapes
"$SOLSTICE" run plate.sol --set n=34 --stop 0.1 --steps 1 --output - --stats stats.json --quiet >/dev/null || fail "stats"
grep -q '"shapes": [1-6],' stats.json || fail "shapes: $(grep -o '"shapes": [0-9]*' stats.json)"

# events inside elements and loops; a copy of an element; edits; checkpoints
cat >cells.sol <<'END'
model Cell
interface:
    parameter Real k;
    static Real x;
    static Boolean hot;
    static Real at[2];
implementation:
    der(x, start << 0) = if x < k then 1 else 0.5;
    hot << x > k;
    when hot then at[1] << time; at[2] << 2*time; end when;
end Cell;
model Cells
interface:
    parameter Integer n << 3;
    static Cell c[n]{k << {0.25, 0.5, 1}};
    static Integer count[n];
    static Real mean;
    dynamic Cell d;
implementation:
    for i in 1:n then
        when c[i].hot then count[i] << pre(count[i]) + i; end when;
    end for;
    mean = sum(c.x)/n;
    when time > 1.2 then d << c[2]; end when;
end Cells;
END
"$SOLSTICE" run cells.sol --stop 2 --interval 2 --output cells.csv --vars 'count*' --vars mean --vars d.x --vars 'c[3].at[2]' --audit --quiet || fail "cells"
tail -1 cells.csv | awk -F, '{ exit !($2 == 1 && $3 == 2 && $4 == 3 && ($5 - 3.875/3)^2 < 1e-16 && ($6 - 2)^2 < 1e-16 && ($7 - 1.25)^2 < 1e-16) }' || fail "cells: $(cat cells.csv)"
printf '%s\n' 'run to 0.6' 'save half' 'add Real Q[3]; Q = 2*c.x + {1, 2, 3}; Real s; s = sum(Q)' 'show s' 'run to 1' 'show Q[3]' 'remove +1' \
    'set c[2].x = 7' 'show mean' 'undo' 'run to 1.4' 'show d.x' | "$SOLSTICE" live cells.sol >live.txt 2>&1
[ "$(grep -o '^ok: [A-Zams.d0-9\[]*[]x]* = [0-9.]*' live.txt | tr '\n' ' ')" = "ok: s = 9.15 ok: Q[3] = 5 ok: d.x = 0.95 " ] || fail "live: $(cat live.txt)"
grep -q 'mean = 2.875' live.txt || fail "live: $(cat live.txt)"
printf 'run to 1.4\nshow mean\nshow d.at[1]\n' | "$SOLSTICE" live cells.sol --resume half >live.txt 2>&1
grep -q 'mean = 0.99166' live.txt && grep -q 'd.at\[1\] = 0.5' live.txt || fail "resume: $(cat live.txt)"
expect 1 "'k' takes an array of 2 elements, not of 3" "$SOLSTICE" run cells.sol --set n=2 --quiet
expect 1 "the size of 'T' is -1" "$SOLSTICE" run rod.sol --set n=-1 --quiet
expect 1 "'T' would have 1000000000 elements" "$SOLSTICE" run rod.sol --set n=1000000000 --quiet
expect 1 "there is no 'T[2]'" "$SOLSTICE" run rod.sol --set n=1 --quiet
"$SOLSTICE" flat rod.sol | grep -qF 'der(T[3]) = T[2] - 2*T[3] + T[4];' || fail "flat"
"$SOLSTICE" graph cells.sol --types >types.dot 2>err || fail "graph: $(cat err)"

# births wait for what an undecided `if` may transmit to an element (U3): the branch that is wrong is never entered
cat >births.sol <<'END'
model Births
interface:
    static Integer level[3]; static Integer wrong[3];
implementation:
    Real y; y = time + 1;
    for i in 1:3 then
        if level[i] < i then wrong[i] << 1; end if;
    end for;
    if y > 0.5 then for i in 1:3 then level[i] << i; end for; else then level << 0; end if;
end Births;
END
"$SOLSTICE" run births.sol --stop 1 --interval 1 --output - --trace e --quiet >births.txt 2>&1 || fail "births: $(cat births.txt)"
[ "$(grep -c 'level\[[123]\] < [123] -> else' births.txt)" = 3 ] && ! grep -q 'level.*-> then' births.txt || fail "births: $(cat births.txt)"

# sums where a value is needed at birth
cat >sums.sol <<'SOL'
model Part
interface:
    parameter Real share;
end Part;
model Sums
interface:
    parameter Integer n << 100;
    parameter Real k[n] << 0.5;
    parameter Real A[40, 2] << 2;
    parameter Integer m[2] << {2, 3};
    parameter Real none[0] << 1;
    parameter Real total << sum(k) + max(A) - min(k);
    static Real x[sum(m)];
    static Real y;
    static Part p[n]{share << k/sum(k)};
implementation:
    for i in 1:sum(m) then x[i] = i*total; end for;
    y = p[1].share + sum(none) + product(none);
end Sums;
SOL
"$SOLSTICE" run sums.sol --stop 1 --interval 1 --quiet --audit --vars 'x[5]' --vars y --output sums.csv || fail "sums at birth"
[ "$(tail -1 sums.csv)" = "1,257.5,1.01" ] || fail "sums at birth: $(tail -1 sums.csv)"
"$SOLSTICE" run sums.sol --stop 1 --interval 1 --quiet --set 'k[7]=50.5' --vars 'x[5]' --vars y --output sums.csv || fail "sums at birth with --set"
[ "$(tail -1 sums.csv)" = "1,507.5,1.005" ] || fail "sums at birth with --set: $(tail -1 sums.csv)"


# one element among many, by its name alone
cat >elements.sol <<'END'
model Elements
interface: static Real T[3]; static Real A[2, 2];
implementation: T = {1, 2, time}; A = {{1, 2}, {3, time}};
end Elements;
END
"$SOLSTICE" run elements.sol --stop 1 --interval 1 --vars 'T[2]' --vars 'A[2,1]' --output elements.csv --quiet 2>err || fail "elements"
[ "$(head -2 elements.csv | tail -1)" = "0,2,3" ] && [ ! -s err ] || fail "--vars of elements: $(cat elements.csv err)"

# an iterator of braces, and one of the same name inside
cat >inner.sol <<'END'
model Part interface: parameter Real k << 0; static Real T; implementation: T = k; end Part;
model Inner
interface: static Real x[2]; static Real y[2]; static Real z[2];
implementation:
  static Part a[2]{k << {10, 20}};
  static Part b[3]{k << {1, 2, 3}};
  x = {sum(i*i for i in 1:3) for i in 1:2};
  y = {sum(b[i].k for i in 1:3) + 10*i for i in 1:2};
  z = {sum(c.T for c in b) + c.T for c in a};
end Inner;
END
"$SOLSTICE" run inner.sol --stop 1 --interval 1 --vars 'x[*]' --vars 'y[*]' --vars 'z[*]' --output inner.csv --quiet --audit || fail "inner iterators"
[ "$(tail -1 inner.csv)" = "1,14,14,16,26,16,26" ] || fail "inner iterators: $(cat inner.csv)"
# a factor that is 0 in every branch does not hide what it multiplies
printf 'model Zero interface: static Real y; implementation: y = nowhere*(if time > 0.5 then 0 else 0); end Zero;' >zero.sol
expect 1 "unknown name 'nowhere'" "$SOLSTICE" run zero.sol
exit $((failures > 0))
