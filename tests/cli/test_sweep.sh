#!/bin/bash
# `solstice sweep`: tables against closed forms, samples, files of cases, failures, crashes, going on, misuse.
. "$(dirname "$0")/../support/shell.sh"

cat >decay.sol <<'END'
model Decay
interface:
  parameter Real k << 1;
  parameter Real x0 << 1;
  parameter String label << "none";
  static Real x; static Real s;
implementation:
  der(x=x, start=x0) = -k*x;
  der(x=s, start=0) = 3*cos(3*time);
  when x < 0.5 then cout << "half"; end;
end Decay;
END
near() { # table, what: an awk expression that is true of each line, with the columns by number; tolerance
    awk -F, -v tolerance="${3:-1e-5}" 'function near(a, b) { return (a - b < tolerance) && (b - a < tolerance) }
        NR > 1 { n++; if (!('"$2"')) { print "line " NR ": " $0; bad = 1 } } END { exit bad || !n }' "$1" || fail "$1: $2"
}

# ---- a grid: x(1) = x0 exp(-k), x falls below 1/2 at log(2 x0)/k, s is sin(3 t) ----
expect 0 "12 cases" "$SOLSTICE" sweep decay.sol --rtol 1e-9 --vary x0=1:3:3 --vary k=log:1:8:4 --end x --min x --max s --event 'x < 0.5' --output grid.csv
head -1 grid.csv | grep -qx 'case,x0,k,status,end(x),min(x),max(s),event(x < 0.5),message' || fail "names: $(head -1 grid.csv)"
[ "$(cut -d, -f1-3 grid.csv | sed -n '2p;3p;6p;13p' | tr '\n' ' ')" = "1,1,1 2,1,2 5,2,1 12,3,8 " ] || fail "order: $(cut -d, -f1-3 grid.csv)"
near grid.csv '$4 == "ok" && near($5, $2*exp(-$3)) && near($6, $5) && near($8, log(2*$2)/$3 <= 1 ? log(2*$2)/$3 : $8) && $9 == ""'
near grid.csv '$7 > 0.9999 && $7 <= 1.0000001'
awk -F, 'NR > 1 && log(2*$2)/$3 > 1 && $8 != "" { exit 1 }' grid.csv || fail "an event that was not"
[ ! -e grid.csv.journal ] || fail "the journal of a complete sweep is left"
for options in "--jobs 1" "--jobs 3 --engine interp" "--jobs 5 --cache off"; do
    # shellcheck disable=SC2086
    expect 0 "" "$SOLSTICE" sweep decay.sol --rtol 1e-9 --vary x0=1:3:3 --vary k=log:1:8:4 --end x --min x --max s --event 'x < 0.5' --output other.csv $options
    cmp -s grid.csv other.csv || fail "$options: another table"
done
expect 0 "" "$SOLSTICE" sweep decay.sol --vary k=1,2.5 --output -
[ "$(sed -n 1p out)" = "case,k,status,end(x),end(s),message" ] || fail "what is kept if nobody says: $(sed -n 1p out)"
[ "$(wc -l <out)" -eq 3 ] || fail "a list of values"

# ---- the page: a circle for each case and pair, statistics by another program ----
expect 0 "" "$SOLSTICE" sweep decay.sol --vary x0=1:3:7 --vary k=log:1:8:4 --end x --max s --event 'x < 0.5' --output page.csv --report page.html --quiet
[ "$(grep -o '<circle' page.html | wc -l)" -eq "$((2 * (28 + 28 + $(awk -F, 'NR > 1 && $7 != ""' page.csv | wc -l))))" ] || fail "circles of the page"
mean=$(awk -F, 'NR > 1 { sum += $5 } END { printf "%.6g", sum/28 }' page.csv)
grep -q "<tr><th>end(x)</th><td>28</td><td>$mean</td>" page.html || fail "mean $mean: $(grep 'end(x)</th>' page.html)"
middle=$(cut -d, -f5 page.csv | tail -n +2 | sort -g | sed -n '14p;15p' | awk '{ sum += $1 } END { printf "%.6g", sum/2 }')
grep 'end(x)</th>' page.html | grep -q "<td>$middle</td>" || fail "median $middle: $(grep 'end(x)</th>' page.html)"
grep -q 'event(x &lt; 0.5)' page.html || fail "texts of the page are not escaped"
expect 4 "nowhere/p.html" "$SOLSTICE" sweep decay.sol --vary k=1:2:3 --report nowhere/p.html --output page.csv --fresh

# ---- samples: one in each stratum, by seed ----
for seed in 1 2 1; do
    expect 0 "" "$SOLSTICE" sweep decay.sol --samples 20 --seed $seed --vary k=0:2 --vary x0=log:1:100 --end x --output "latin$seed.csv" --quiet
    [ $seed -eq 1 ] && [ -e first.csv ] && { cmp -s latin1.csv first.csv || fail "the same seed, another table"; }
    [ -e first.csv ] || cp latin1.csv first.csv
done
cmp -s latin1.csv latin2.csv && fail "two seeds, one table"
for column in '$2*10' 'log($3)/log(100)*20'; do
    [ "$(awk -F, "NR > 1 { print int($column) }" latin1.csv | sort -n | tr '\n' ' ')" = "$(seq 0 19 | tr '\n' ' ')" ] || fail "no Latin hypercube: $column"
done
near latin1.csv 'near($5, $3*exp(-$2))' 1e-3
expect 0 "" "$SOLSTICE" sweep decay.sol --samples 400 --sampling random --vary k=1:3 --end x --output random.csv --quiet
awk -F, 'NR > 1 { n++; sum += $2; squares += $2*$2; if ($2 < 1 || $2 > 3) exit 1 }
    END { mean = sum/n; variance = squares/n - mean*mean; exit !(n == 400 && mean > 1.85 && mean < 2.15 && variance > 0.25 && variance < 0.42) }' random.csv ||
    fail "random samples are not spread evenly"

# ---- a file of cases ----
printf 'k,label,x0\n1,"left, right",\n2,plain,5\r\n' >cases.csv
expect 0 "2 cases" "$SOLSTICE" sweep decay.sol --cases cases.csv --set s=0 --end x --output cases.out.csv
sed -n 2p cases.out.csv | grep -q '^1,1,"""left, right""",,ok,0.3678' || fail "a case of a file: $(cat cases.out.csv)"
tail -1 cases.out.csv | awk -F, '{ exit !($4 == 5 && $6 > 0.6766 && $6 < 0.6768) }' || fail "a case of a file: $(tail -1 cases.out.csv)"

# ---- a result of each case, whole ones only ----
expect 0 "" "$SOLSTICE" sweep decay.sol --vary k=1:2:3 --end x --max s --results results --vars x --output r.csv
[ "$(ls results | tr '\n' ' ')" = "case-000001.solr case-000002.solr case-000003.solr " ] || fail "results: $(ls results)"
"$SOLSTICE" convert results/case-000003.solr last.csv 2>/dev/null
[ "$(tail -1 last.csv | cut -d, -f2)" = "$(tail -1 r.csv | cut -d, -f4)" ] || fail "result and table differ"

# ---- cases that fail, and cases that end their process ----
cat >crash.c <<'END'
#include <stdlib.h>
double maybe(double x) { if (x == 2) abort(); if (x == 3) *(volatile int *)8 = 1; if (x == 4) exit(7); return x; }
END
gcc -shared -fPIC crash.c -o libcrash.so || fail "the library"
cat >crash.sol <<'END'
model Maybe
  external "crash" "maybe";
interface:
  in Real x;
  out Real y;
end Maybe;
model Crash
interface:
  parameter Real p << 1;
  static Real r;
implementation:
  r = Maybe(x = p) + sqrt(p + 1 - 2*time);
end Crash;
END
expect 0 "case 1 (p=0)" "$SOLSTICE" sweep crash.sol --vary p=0:5:6 --end r --output crash.csv --jobs 2
grep -q '^3,2,failed,,its process was ended by signal 6' crash.csv || fail "abort: $(cat crash.csv)"
grep -q '^4,3,failed,,its process was ended by signal' crash.csv || grep -q '^4,3,failed,,its process ended' crash.csv || fail "a wrong address: $(cat crash.csv)"
grep -q '^5,4,failed,,its process ended with exit code 7' crash.csv || fail "exit: $(cat crash.csv)"
[ "$(cut -d, -f1,3 crash.csv | tr '\n' ' ')" = "case,status 1,failed 2,ok 3,failed 4,failed 5,failed 6,ok " ] || fail "who failed: $(cat crash.csv)"
expect 3 "2 failed" "$SOLSTICE" sweep crash.sol --vary p=-1,-2 --end r --output all.csv

# ---- derivatives of end values: d(x0 exp(-k))/dk, /dx0 ----
expect 0 "" "$SOLSTICE" sweep decay.sol --rtol 1e-9 --vary x0=1:3:3 --vary k=1,2 --end x --sensitivity k --sensitivity x0 --max s --output slopes.csv --quiet
head -1 slopes.csv | grep -qx 'case,x0,k,status,end(x),d(end(x))/d(k),d(end(x))/d(x0),max(s),message' || fail "names: $(head -1 slopes.csv)"
near slopes.csv 'near($6, -$2*exp(-$3)) && near($7, exp(-$3))' 1e-6
expect 2 "nothing can be differentiated by label: it is no number" "$SOLSTICE" sweep decay.sol --vary k=1,2 --end x --sensitivity label --output slopes.csv

# ---- going on ----
printf 'package Rate\n  model Fast\n  interface:\n    static Real r;\n  implementation:\n    r = 2;\n  end Fast;\nend Rate;\n' >Rate.sol
printf 'model Uses\ninterface:\n  parameter Real k << 1;\n  static Real x;\nimplementation:\n  static Rate.Fast f;\n  der(x = x, start << 1) = -k*f.r*x;\nend Uses;\n' >uses.sol
uses=("$SOLSTICE" sweep uses.sol --vary k=1:2:100000 --end x --output uses.csv --jobs 2 --quiet)
"${uses[@]}" 2>err & pid=$!
while [ "$(stat -c %s uses.csv.journal 2>/dev/null || echo 0)" -lt 2000 ]; do sleep 0.05; kill -0 $pid || break; done
kill -INT $pid
wait $pid
sed -i 's/r = 2/r = 3/' Rate.sol
expect 4 "belongs to a sweep of another model" "${uses[@]}"
rm -f uses.csv.journal
long=("$SOLSTICE" sweep decay.sol --vary k=1:2:100000 --end x --output long.csv --jobs 2)
"${long[@]}" 2>err & pid=$!
while [ "$(stat -c %s long.csv.journal 2>/dev/null || echo 0)" -lt 5000 ]; do sleep 0.05; done
expect 4 "another sweep is writing it" "${long[@]}"
kill -INT $pid
wait $pid
[ $? -eq 130 ] || fail "interrupted: no exit code 130"
grep -q 'the same command goes on' err || fail "interrupted: $(cat err)"
[ ! -e long.csv ] || fail "a table of a sweep that is not complete"
expect 4 "belongs to a sweep of another model" "${long[@]}" --rtol 1e-3
sed -i 's/-k\*x/-2*k*x/' decay.sol
expect 4 "belongs to a sweep of another model" "${long[@]}"
sed -i 's/-2\*k\*x/-k*x/' decay.sol
expect 0 "" "$SOLSTICE" sweep decay.sol --vary k=1:2:3 --end x --output long.csv --fresh --quiet

# ---- misuse ----
expect 2 "what varies?" "$SOLSTICE" sweep decay.sol
expect 2 "which file?" "$SOLSTICE" sweep --vary k=1:2:3
for wrong in k k= =1:2:3 k=1:2:0 k=1:2:1.5 k=a:b:3 k=log:0:1:3 k=log:-1:1:3 k=1:2:3:4 k=1,,2 k=1:inf:3; do
    expect 2 "--vary wants" "$SOLSTICE" sweep decay.sol --vary "$wrong"
done
expect 2 "how many points?" "$SOLSTICE" sweep decay.sol --vary k=1:2
expect 2 "without points" "$SOLSTICE" sweep decay.sol --vary k=1:2:3 --samples 4
expect 2 "is set by --set and by --vary" "$SOLSTICE" sweep decay.sol --vary k=1:2:3 --set k=1
expect 2 "names a path twice" "$SOLSTICE" sweep decay.sol --vary k=1:2:3 --vary k=1:2:3
expect 2 "100,000,000" "$SOLSTICE" sweep decay.sol --vary k=1:2:100000 --vary x0=1:2:100000
expect 2 "give no --vary" "$SOLSTICE" sweep decay.sol --vary k=1:2:3 --cases cases.csv
expect 2 "No such file" "$SOLSTICE" sweep decay.sol --cases nowhere.csv
printf 'k,x0\n1\n' >short.csv
expect 2 "row 1 has 1 cells" "$SOLSTICE" sweep decay.sol --cases short.csv
printf 'k\n"1\n' >quote.csv
expect 2 "quotation mark" "$SOLSTICE" sweep decay.sol --cases quote.csv
: >empty.csv
expect 2 "no cases" "$SOLSTICE" sweep decay.sol --cases empty.csv
expect 2 "did you mean k?" "$SOLSTICE" sweep decay.sol --vary kk=1:2:3 --end x
expect 4 "" "$SOLSTICE" sweep nowhere.sol --vary k=1:2:3
expect 4 "nowhere/t.csv" "$SOLSTICE" sweep decay.sol --vary k=1:2:3 --output nowhere/t.csv
printf 'some other file that is not ours' >mine.csv.journal
expect 4 "no journal" "$SOLSTICE" sweep decay.sol --vary k=1:2:3 --output mine.csv
[ "$(cat mine.csv.journal)" = 'some other file that is not ours' ] || fail "a file of somebody else was changed"

exit $((failures > 0))
