#!/bin/bash
# solstice live through a pipe: one answer per line, scripts that replay to the same bytes, Ctrl-C, kill -9.
. "$(dirname "$0")/../support/shell.sh"

cat >Empty.sol <<'END'
model Empty
implementation:
end Empty;
END
cat >rectifier.txt <<'END'
add Real us; us = sin(314.159265358979*time)
add Real i
add Real uL; uL = 0.2*der(x = i)
add Real uR; uR = 10*i
add Real ud
add Boolean off; when i < 0 then off << true; else when ud > 0 then off << false; end
add if off then i = 0; else then ud = 0; end
add Real uC; us = uL + uR + ud + uC
add i = 0.001*der(x = uC) + uC/50
add us = 3
run to 0.05
set uC = 0.1
undo
remove +99
mark middle
run to 0.1
END
live() { timeout 60 "$SOLSTICE" live Empty.sol --cache off "$@"; }

# one answer a line, the right words
live <rectifier.txt >answers || fail "exit code $?"
[ "$(wc -l <answers)" -eq "$(wc -l <rectifier.txt)" ] || fail "one answer per line: $(cat answers)"
words=$(cut -d' ' -f1 answers | cut -d: -f1 | tr '\n' ' ')
want="accepted incomplete incomplete incomplete incomplete incomplete incomplete incomplete accepted refused"
case $words in "$want ok accepted accepted refused ok ok "*) ;; *) fail "other verdicts: $words" ;; esac

# JSON
if command -v python3 >/dev/null; then
  live --json <rectifier.txt | python3 -c '
import sys, json
lines = [json.loads(l) for l in sys.stdin]
assert len(lines) == 16, len(lines)
assert lines[9]["answer"] == "refused" and lines[9]["messages"][0]["file"] == "edit 10"
assert lines[-1]["time"] == 0.1' || fail "JSON"
fi

# a script replays to the same bytes; a journal has the same lines
{ cat rectifier.txt; echo "script done.txt"; echo "save first"; echo flat; } | live --script journal.txt | tail -1 >here
{ echo "source done.txt"; echo "save second"; echo flat; } | live | tail -1 >there
cmp here there || fail "a replay comes out otherwise"
[ "$(stat -c %s first)" -eq "$(stat -c %s second)" ] || fail "a replay has other checkpoints"
head -n -1 journal.txt | cmp - done.txt || fail "journal and script differ"
grep -qx 'try add us = 3' done.txt || fail "a refused edit is not in the script: it restarts integrators"

# a checkpoint goes on with its edits
echo "states" | live --resume first >resumed
grep -q 'uC = ' resumed || fail "no edits in the checkpoint: $(cat resumed)"

# Ctrl-C stops a run and nothing else; then kill -9: the journal is readable up to the last edit
mkfifo in
"$SOLSTICE" live Empty.sol --cache off --script kept.txt <in >out 2>&1 &
pid=$!
exec 7>in
echo "add Real x; der(x = x) = sin(1000*time)" >&7
echo "run to 1000000" >&7
for _ in $(seq 100); do [ "$(wc -l <out)" -ge 1 ] && break; sleep 0.1; done
sleep 1
kill -INT $pid
echo "show x" >&7
for _ in $(seq 100); do [ "$(wc -l <out)" -ge 3 ] && break; sleep 0.1; done
[ "$(sed -n '2s/:.*//p' out)" = stopped ] || fail "Ctrl-C: $(cat out)"
sed -n 3p out | grep -q '^ok: x = ' || fail "after Ctrl-C: $(cat out)"
kill -9 $pid
exec 7>&-
wait $pid 2>/dev/null
[ "$(head -1 kept.txt)" = "add Real x; der(x = x) = sin(1000*time)" ] || fail "the journal is lost"
echo "source kept.txt" | live | tail -1 | grep -q '^ok: 2 lines' || fail "the journal does not replay"

# foreign functions and files are out of reach unless allowed
cat >F.sol <<'END'
model F external "libm.so.6" "cos"; interface: in Real x; out Real y; end F;
model M implementation: static Real x; x = time; end M;
END
echo "add Real y; y = F(x = x)" >f.txt
timeout 60 "$SOLSTICE" live F.sol --cache off <f.txt | grep -q '^refused.*edits may not' || fail "external"
timeout 60 "$SOLSTICE" live F.sol --cache off --allow-external <f.txt | grep -q '^accepted' || fail "allowed"
# also where a branch that was typed comes later: told when it is typed, and the session goes on
printf 'add if time > 0.1 then Real z; z = F(x = x); end\nrun to 0.5\n' |
    timeout 60 "$SOLSTICE" live F.sol --cache off >foreign.txt
grep -q '^refused.*edits may not' foreign.txt && grep -q '^ok: time 0.5' foreign.txt || fail "external in a branch: $(cat foreign.txt)"
# what is watched is all there, and a run that is watched ends
printf 'watch x none\nrun by 0.1\nwatch every 1e-30 x\nrun by 0.1\nquit\n' |
    timeout 60 "$SOLSTICE" live F.sol --cache off >watched.txt || fail "watched"
[ "$(grep -c '^ok: time' watched.txt)" -eq 2 ] || fail "two runs that are watched"
# a commit that is refused leaves nothing open in the script
printf 'begin\nadd x = 2\ncommit\nscript\n' | timeout 60 "$SOLSTICE" live F.sol --cache off |
    grep -q 'begin; add x = 2; try commit' || fail "script of a commit that was refused"

# a model that is incomplete from the start is completed; an event without a time; nothing to undo behind a checkpoint
printf 'model Less implementation: static Real x; static Real y; static Boolean b; x = y + time; when x > 3 then b << true; end; end Less;\n' >Less.sol
printf 'run to 1\nadd y = 2*time\nrun to event\nsave less.save\n' | timeout 60 "$SOLSTICE" live Less.sol --cache off >less.txt 2>err
grep -q "lacks\|too few\|nothing determines" err || fail "what lacks is not told: $(cat err)"
[ "$(cut -d: -f1 less.txt | tr '\n' ' ')" = "error accepted +1 ok ok " ] || fail "completing: $(cat less.txt)"
sed -n 3p less.txt | grep -q 'time 1$' || fail "run to event: $(cat less.txt)"
echo undo | timeout 60 "$SOLSTICE" live Less.sol --cache off --resume less.save 2>err | grep -q "remove +1" || fail "undo behind --resume: $(cat err)"

# refusals, trials, watching and looking: a replay ends with the same digits
cat >mixed.txt <<'END'
run to 0.031
add us = 3
show uC
watch every 0.004 uC i
run to 0.06
try set uC = 0.7
why i
begin
add Real extra
add extra = i^2
commit
watch
run by 0.013
begin
add extra = 2
commit
remove +1
watch nothing
step 7
try add Real more; der(x = more, start << 1) = -more
run to 0.1
END
head -9 rectifier.txt >whole.txt
cat mixed.txt >>whole.txt
{ cat whole.txt; echo "script replay.txt"; echo flat; } | live --rtol 1e-5 | tail -1 >here
{ echo "source replay.txt"; echo flat; } | live --rtol 1e-5 | tail -1 >there
cmp here there || fail "a replay of refusals and watching comes out otherwise"
grep -v -e '^watch' -e '^try' replay.txt >less.txt
{ cat less.txt; echo flat; } | live --rtol 1e-5 | tail -1 | cmp -s - here && fail "this test tells nothing: refusals leave no trace"

# points made behind a `back` belong to the script that leads to them
printf 'mark a\nset x = 1\nback a\nadd Real z; z = 1\nmark b\nback a\nback b\nscript\n' >points.txt
timeout 60 "$SOLSTICE" live F.sol --cache off <points.txt | tail -1 | grep -qx 'ok: mark a; add Real z; z = 1; mark b' || fail "script of a point behind a back"

# the edited model as text with a checkpoint: births, inherited statements, one of several instances, a file of its own
cat >Born.sol <<'END'
partial model Base
interface: parameter Real k << 1; static Real x;
implementation:
    der(x = x, start << 1) = -k*x;
    when x < 0.5 then cout << x; end;
end Base;
model Part extends Base;
interface: static Real y;
implementation: y = 2*x;
end Part;
model Born
implementation:
    static Part a{k << 1}; static Part b{k << 2};
    dynamic Part c; dynamic Part d;
    static Integer n;
    when time > 0.1 then c <- Part{k << random(1)}; end;
    when time > 0.3 then d <- c; n << pre(n) + 1; end;
    if c? then Real only; only = 3; end;
end Born;
END
cat >born.txt <<'END'
run to 0.2
remove in a: #4
remove in b: #6
add in b: y = 3*x + k
remove #7.then.2
add Real sum; sum = a.x + b.y
add when d? then Real late; late = time; sum2 << 1; end; Real sum2
END
tail='run to 0.25\nrun to 0.7\nflat\nstates\nshow\n'
born() { timeout 60 "$SOLSTICE" live "$@" --cache off; }
{ cat born.txt; echo "write born2.sol"; printf "$tail"; } | born Born.sol >here.txt
born born2.sol --resume born2.save <<<"$(printf "$tail")" >there.txt
lines() { sed 's/;* *[#+][0-9].*//' | tr ';' '\n' | sort; } # the order of variables is another one
tail -n +9 here.txt | lines >here2.txt
lines <there.txt >there2.txt
[ -s there2.txt ] && cmp here2.txt there2.txt || fail "what was written goes on otherwise: $(cat here.txt; diff here2.txt there2.txt)"
grep -q 'model Part_a extends Base_a;' born2.sol || fail "no definition of its own: $(cat born2.sol)"
printf 'add in a: Real z\nwrite none.sol\n' | born Born.sol | grep -q '^error.*lack an equation' || fail "incomplete"
printf 'run to 0.2\nadd in c: Real z; z = x\nwrite none.sol\n' | born Born.sol | grep -q '^error.*all the time' || fail "edit of what is born"
[ ! -e none.sol ] && [ ! -e none.sol.new ] || fail "something was written all the same"

# A value that is set now and later: y grows by 3, 4 and 5 a second. Times must ascend, else nothing is done.
echo 'model Later interface: parameter Real k << 2; static Real y; implementation: der(x = y, start << 0) = k; end Later;' >later.sol
printf 'set k = 3; 4 at 0.5; 5 at 1\nrun to 2\nset k = 9; 1 at 0.5\nshow k\nshow y\nscript\n' | "$SOLSTICE" live later.sol --cache off >later.txt 2>err
grep -q '^ok: y = 8.5: a state' later.txt && grep -q '^error.*times ascend' later.txt && grep -q '^ok: k = 5' later.txt &&
    grep -qx 'ok: set k = 3; 4 at 0.5; 5 at 1; run to 2' later.txt || fail "values that are set later: $(cat later.txt err)"

# an assignment that goes on at later times is one edit; others are not
cat >Turned.sol <<'END'
model Turned
interface: parameter Real k << 2;
implementation: Real x; der(x = x) = k;
end Turned;
END
turned() { timeout 60 "$SOLSTICE" live Turned.sol --cache off >turned.txt; }
printf 'set k = 3; 4 at 0.5; 5 at 0.75\nset k = 6\nundo\nshow k\nundo\nshow k\nundo\nredo\nshow k\n' | turned
[ "$(sed -n 's/^ok: k = \([0-9.]*\).*/\1/p' turned.txt | tr '\n' ' ')" = "5 2 5 " ] || fail "a slider that moved: $(cat turned.txt)"
grep -q 'nothing to undo' turned.txt || fail "a slider that moved is more than one edit: $(cat turned.txt)"
# undoing it takes no time back: x has grown by 4 a second
printf 'set k = 3\nset k = 4; 5 at 0.25\nundo\nshow k\nshow x\n' | turned
[ "$(sed -n 's/^ok: [kx] = \([0-9.]*\).*/\1/p' turned.txt | tr '\n' ' ')" = "3 1 " ] || fail "undoing took time back: $(cat turned.txt)"

# an equation with its derivative in other words, by an edit, by replacing what it names, and undone: the state goes on
cat >Ball.sol <<'END'
model Spring interface: parameter Real c << 20; static Real s; static Real f; implementation: f = c*s; end Spring;
model Ball
interface: static Real v; static Spring spring;
implementation:
  Real x;
  der(x = x, start << 1) = v;
  der(x = v, start << 0) = -spring.f - 0.3*v;
  spring.s = x;
end Ball;
END
ball() { timeout 60 "$SOLSTICE" live Ball.sol:Ball --cache off >ball.txt; }
printf 'list\n' | ball
line=$(grep -o '#[0-9]* *der(x = v' ball.txt | grep -o '#[0-9]*')
printf 'run to 0.1\nshow v\nbegin\nremove %s\nadd der(x = v, start << 0) = -spring.f - 2*v\ncommit\nshow v\nreplace spring by Spring{c << 5}\nshow v\nrun by 0.01\nshow v\nundo\nshow v\nundo\nshow v\nrun to 0.2\n' "$line" | ball
[ "$(grep -c '^accepted' ball.txt)" -eq 4 ] || fail "a derivative in other words: $(cat ball.txt)"
[ "$(sed -n 's/^ok: v = \(-[12][.0-9]*\):.*/\1/p' ball.txt | uniq -c | awk '{ printf "%s ", $1 }')" = "3 3 " ] || fail "the state began anew: $(cat ball.txt)"

# of many points the oldest go, and it is told
{ for _ in $(seq 103); do echo mark; done; echo "back 3"; echo "back 4"; echo mark; } |
    timeout 60 "$SOLSTICE" live Turned.sol --cache off | tail -4 >many.txt
sed -n 1p many.txt | grep -q '^ok: point 3 is gone, 100 are kept; point 103 at' || fail "points: $(cat many.txt)"
[ "$(cut -d: -f1 many.txt | tr '\n' ' ')" = "ok error ok ok " ] || fail "points: $(cat many.txt)"

expect 2 "which file" "$SOLSTICE" live
expect 4 "cannot" "$SOLSTICE" live none.sol
exit $((failures > 0))
