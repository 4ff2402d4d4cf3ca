#!/bin/bash
# The commands `run` and `solsim` from outside: options, exit codes, files, signals, kills.
. "$(dirname "$0")/../support/shell.sh"


cat >Decay.sol <<'END'
model Other
implementation:
  static Real y;
  der(x=y, start=1) = 1;
end Other;
model Decay
interface:
  parameter Real k << 2;
  static Real x;
implementation:
  static Real n;
  der(x=x, start=1) = -k*x;
  when x < 0.5 then
    n << pre(n) + 1;
    cout << x;
  end;
end Decay;
END

# ---- results, exports, selection ----
expect 0 "results: Decay.solr, 13 rows, 3 columns" "$SOLSTICE" run Decay.sol --steps 10
expect 0 "" "$SOLSTICE" convert Decay.solr a.csv
expect 0 "" "$SOLSTICE" run Decay.sol --steps 10 --output b.csv --quiet
[ -s err ] && fail "--quiet is not quiet: $(cat err)"
cmp -s a.csv b.csv || fail "--output b.csv differs from convert"
[ -e b.csv.solr ] && fail "the result behind the export is still there"
expect 0 "" "$SOLSTICE" run Decay.sol --steps 10 --output -
cmp -s a.csv out || fail "--output - differs from convert"
expect 0 "" "$SOLSTICE" run Decay.sol --output c.mat
[ "$(head -c 26 c.mat | tail -c 6)" = "Aclass" ] || fail "--output c.mat"
expect 0 "" "$SOLSTICE" run Decay.sol:Other --steps 2 --output - --vars 'y' --start 1 --stop 2
[ "$(tr '\n' ' ' <out)" = "time,y 1,1 1.5,1.5 2,2 " ] || fail "model, times, --vars: $(cat out)"
expect 0 "" "$SOLSTICE" run Decay.sol --set k=0 --output - --steps 1
[ "$(tail -1 out)" = "1,0,1,0" ] || fail "--set: $(cat out)"
expect 2 "kk cannot be set: there is no such variable in 'Decay'" "$SOLSTICE" run Decay.sol --set kk=0
grep -q "did you mean k?" err || fail "no suggestion: $(cat err)"
expect 0 "n was set to no effect" "$SOLSTICE" run Decay.sol --set n=3
# e^-2t: the event is at ln(2)/2, both sides are there, and only n differs
awk -F, 'NR > 1 && $1 > 0.34 && $1 < 0.35 { n++; t = $1; v[n] = $4; e = $3 - 0.5 }
    END { d = t - log(2) / 2; exit !(n == 2 && d * d < 1e-10 && e * e < 1e-10 && v[1] == 0 && v[2] == 1) }' \
    a.csv || fail "both sides of the event: $(cat a.csv)"
expect 0 "" "$SOLSTICE" run Decay.sol --steps 10 --quiet --output d.solr
expect 0 "" "$SOLSTICE" run Decay.sol --steps 10 --quiet --output e.solr
cmp -s d.solr e.solr || fail "the same run gives other bytes"

# ---- cout: in a `when` with the values of the update in which it acts ----
cat >Told.sol <<'END'
model Told
interface:
  static Real x; static Integer n; static Real y;
implementation:
  der(x = x, start << 0) = 1;
  when Sample(interval = 0.3) then
    n << pre(n) + 1;
    cout << "sampled";
    cout << 2*x + n;
    if n > 1 then cout << "many"; end if;
  end when;
  when x > 0.5 then y << x; cout << y; cout << x > 0.2; end when;
  if x > 0.7 then cout << "late"; end if;
end Told;
END
expect 0 "" "$SOLSTICE" run Told.sol --quiet --output t.solr
[ "$(tr '\n' ' ' <out)" = "sampled 1.6 0.5 true sampled 3.2 many late sampled 4.8 many " ] || fail "cout in when: $(cat out)"

# ---- statistics ----
expect 0 "" "$SOLSTICE" run Decay.sol --stats s.json --stats-events 1
for name in stages parse instantiate ddp lower compile_wait compile_background integrate events output \
    total parts totals steps residuals jacobians newton_iterations error_test_failures updates \
    warnings relations variables states states_max blocks functions_compiled shapes \
    shapes_from_memory shapes_from_disk scratch_rebuilds examined peak_rss_bytes time triggers entered \
    removed visited blocks_kept blocks_rebuilt shapes_new states_before states_after loops_before \
    loops_after structural structure_us restart_us wait_us; do
    grep -q "\"$name\":" s.json || fail "no $name in the statistics"
done
for stage in parse instantiate ddp lower integrate events total; do
    grep -qE "^    \"$stage\": [0-9.e-]*[1-9]" s.json || fail "the stage $stage took no time"
done
grep -q '"events_cut": false' s.json || fail "events_cut"
expect 0 "" "$SOLSTICE" run Decay.sol --stats s.json --stats-events 0
grep -q '"events_cut": true' s.json || fail "events_cut with --stats-events 0"

# ---- what is refused ----
expect 2 "which file?" "$SOLSTICE" run
expect 2 "unknown option '--stp'" "$SOLSTICE" run Decay.sol --stp 1
expect 2 "--stop wants a number, not 'x'" "$SOLSTICE" run Decay.sol --stop x
expect 2 "--stop wants a value" "$SOLSTICE" run Decay.sol --stop
expect 2 "lies before --start" "$SOLSTICE" run Decay.sol --stop -1
expect 2 "--interval wants a number above 0" "$SOLSTICE" run Decay.sol --interval 0
expect 2 "give one of them" "$SOLSTICE" run Decay.sol --interval 1 --steps 3
expect 2 "one of ida, auto, rk, euler, rodas, inline, not 'foo'" "$SOLSTICE" run Decay.sol --solver foo
expect 2 "--method is for --solver inline" "$SOLSTICE" run Decay.sol --method bdf2
expect 2 "--method wants one of radau5, radau3, bdf3, bdf2, implicit-euler, explicit-euler, not 'bdf9'" "$SOLSTICE" run Decay.sol --solver inline --method bdf9
expect 2 "wants PATH=VALUE" "$SOLSTICE" run Decay.sol --set k
expect 2 "--quiet takes no value" "$SOLSTICE" run Decay.sol --quiet=1
expect 2 "one word too many" "$SOLSTICE" run Decay.sol Decay.sol
expect 2 "from 1 to 5" "$SOLSTICE" run Decay.sol --max-order 9
expect 2 "k=abc: a number, true, false" "$SOLSTICE" run Decay.sol --set k=abc
expect 1 "does not define 'Nope'" "$SOLSTICE" run Decay.sol:Nope
expect 4 "No such file" "$SOLSTICE" run Nope.sol
expect 2 "results are written as .solr, .csv or .mat" "$SOLSTICE" run Decay.sol --output x.xlsx
expect 4 "No space left" "$SOLSTICE" run Decay.sol --output /dev/full
expect 4 "No such file" "$SOLSTICE" run Decay.sol --output no/such/x.solr
expect 4 "No space left" "$SOLSTICE" run Decay.sol --stats /dev/full
# a limit of file sizes stands for a disk that becomes full on the way
(
    ulimit -f 20
    expect 4 "File too large" "$SOLSTICE" run Decay.sol --steps 5000 --output full.solr
    exit $failures
) || fail "full disk on the way"
expect 0 "the run did not end" "$SOLSTICE" convert full.solr full.csv
[ "$(wc -l <full.csv)" -gt 100 ] || fail "rows before the disk was full: $(wc -l <full.csv)"
"$SOLSTICE" run Decay.sol --output - --quiet --steps 50000 2>err | head -1 >out
[ "$(cat out)" = "time,k,x,n" ] || fail "a reader that goes away: $(cat out err)"
echo "model M implementation: static Real x; der(x=x, start=1) = sqrt(0.5 - x); end M;" >Bad.sol
expect 3 "at time 0" "$SOLSTICE" run Bad.sol
[ -e Bad.solr ] && fail "a run that did not start left a result"
for kept in Bad.solr Bad.csv; do # what is there stays when a run does not start
    echo older >$kept
    expect 3 "at time 0" "$SOLSTICE" run Bad.sol --output $kept
    [ "$(cat $kept)" = older ] || fail "a run that did not start replaced $kept"
done
[ -e Bad.csv.solr ] && fail "a run that did not start left a result for its export"
head -c 300000 /dev/zero >Decay.solr # longer than the result that replaces it
expect 0 "" "$SOLSTICE" run Decay.sol --steps 10
[ "$(wc -c <Decay.solr)" -lt 100000 ] || fail "a result does not replace an older file"
expect 0 "" "$SOLSTICE" convert Decay.solr a2.csv
for command in run convert check flat graph; do
    expect 0 "" "$SOLSTICE" "$command" --help
    grep -q "^usage: solstice $command" out || fail "$command --help"
done

# ---- signals: Ctrl-C ends cleanly, with everything written ----
for signal in INT TERM; do
    rm -f l.solr
    "$SOLSTICE" run Decay.sol --stop 1e9 --interval 0.01 --output l.solr --stats l.json 2>err &
    pid=$!
    while [ ! -s l.solr ]; do :; done
    sleep 0.3
    kill -$signal $pid
    wait $pid
    code=$?
    [ $code -eq $([ $signal = INT ] && echo 130 || echo 143) ] || fail "SIG$signal: exit code $code"
    expect 0 "" "$SOLSTICE" convert l.solr l.csv
    [ -s err ] && fail "after SIG$signal the result is not complete: $(cat err)"
    grep -q '"exit_code": 1' l.json || fail "statistics after SIG$signal"
done

# ---- solsim ----
ln -s "$SOLSTICE" solsim
expect 0 "" ./solsim Decay.sol -a Other -sim 1 0.25
[ "$(tail -1 out)" = "1,2" ] || fail "solsim: $(cat out)"
expect 0 "" ./solsim Decay.sol -a Decay -o x.dat 2 -sim 1 0.25
[ "$(grep -c . x.dat)" -ge 4 ] || fail "solsim -o FILE N: $(cat x.dat)"
printf -- '-a Other\n-sim 1 0.5\n-sim 1 0.5\n-q\n-sim 1 0.5\n' >lines
expect 0 "" ./solsim Decay.sol -p <lines
[ "$(tail -1 out)" = "2,3" ] || fail "solsim -p: $(cat out)"
expect 2 "unknown sub-command '-x'" ./solsim Decay.sol -x
expect 2 "-sim wants" ./solsim Decay.sol -sim 1
expect 2 "keeps its step size" ./solsim Decay.sol -sim 1 0.1 -sim 1 0.2
expect 2 "solstice live --socket" ./solsim Decay.sol -c
expect 2 "which file?" ./solsim
expect 0 "" ./solsim Decay.sol -types
grep -q digraph out || fail "solsim -types"

# A start value that reads a loop nobody looks at, against the closed form: p = (exp(-3*t) - 0.18)/1.09 when the branch is born at ln(2).
cat >unseen.sol <<'END_OF_MODEL'
model Unseen
interface:
  static Real x; static Real p; static Real q; static Real y;
implementation:
  der(x = x, start << 1) = -3*x;
  p + 0.3*q = x; q - 0.3*p = 0.6;
  if x < 0.125 then static Real w; der(x = w, start << p) = 1 - w; y = w; else then y = 0; end;
end Unseen;
END_OF_MODEL
for solver in ida rk; do
    "$SOLSTICE" run unseen.sol --stop 2 --rtol 1e-9 --solver $solver --vars y --quiet --output unseen.csv || fail "unseen, $solver"
    tail -1 unseen.csv | awk -F, '{ w = 1 + ((0.125 - 0.18)/1.09 - 1)*exp(log(2) - 2); exit !($2 - w < 1e-6 && w - $2 < 1e-6) }' ||
        fail "a start value reads a loop that nobody looked at, $solver: $(tail -1 unseen.csv)"
done

exit $((failures > 0))
