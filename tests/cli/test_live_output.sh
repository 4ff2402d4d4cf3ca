#!/bin/bash
# `live --output`: the rows of `run`, columns that come and go with edits, nothing of what was refused, a file that can be
# read when the process was killed, and one that `back` cuts.
. "$(dirname "$0")/../support/shell.sh"

cat >m.sol <<'END'
model R interface: parameter Real k << 1; static Real y; implementation: y = k*time; end R;
model M
implementation:
  static R r; Real x;
  der(x = x, start << 1) = -x;
end M;
END

live() { # options, lines from standard input
    "$SOLSTICE" live m.sol --stop 1 --interval 0.1 "$@" >answers.txt 2>err.txt || fail "live $*: $(cat err.txt)"
}
column() { # NAME of out.csv at the last row
    awk -F, -v n="$1" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == n) c = i } END { print c ? $c : "none" }' out.csv
}

# Without edits it is what `run` writes.
expect 0 "" "$SOLSTICE" run m.sol --stop 1 --interval 0.1 --output run.csv --quiet
echo "run to 1" | live --output out.csv
cmp -s run.csv out.csv || fail "other rows than those of run: $(diff run.csv out.csv | head -5)"
[ -e out.csv.solr ] && fail "the result file stays beside its export"

# What is refused, and what is undone at once, leaves no row that has it.
live --output out.csv <<'END'
run to 0.2
add Real a; a = x + 1
undo
add x = 3
run to 0.4
add Real b; b = 2*x
run to 0.6
remove +1
undo
run to 0.8
replace r by R{k << 10}
run to 1
END
[ "$(column a)" = "" ] || fail "a lives on: $(column a)"
awk -v b="$(column b)" -v x="$(column x)" 'BEGIN { exit !(b == 2*x && x > 0.36 && x < 0.37) }' || fail "b = $(column b), x = $(column x)"
[ "$(column r.y)" = 10 ] || fail "the new r goes on in the old column: $(column r.y)"
grep -q '#2' out.csv && fail "a second column of the same place: $(head -1 out.csv)"
awk -F, 'NR > 2 && $1 + 0 < last + 0 { exit 1 } { last = $1 }' out.csv || fail "time goes back"

# `back` cuts the file: what lies behind the point did not happen.
live --output out.csv <<'END'
run to 0.5
mark here
add Real c; c = 7
set x = 100
run to 0.9
back here
run to 1
END
[ "$(column c)" = none ] || fail "c was never there"
awk -F, 'NR > 2 && $1 + 0 < last + 0 { exit 1 } { last = $1 }' out.csv || fail "time goes back behind back"
awk -v x="$(column x)" 'BEGIN { exit !(x > 0.3678 && x < 0.3679) }' || fail "x = $(column x) behind back"

# Killed: all up to the last answer is there.
mkfifo lines
"$SOLSTICE" live m.sol --stop 1 --interval 0.1 --output killed.solr --script killed.txt <lines >answers.txt 2>&1 &
pid=$!
exec 3>lines
printf '%s\n' "run to 0.5" "add Real d; d = x + 1" "run to 0.7" "add Real e; e = 3" >&3
for _ in $(seq 100); do [ "$(wc -l <answers.txt)" -ge 4 ] && break; sleep 0.1; done
kill -9 $pid
{ wait $pid; } 2>/dev/null
exec 3>&-
expect 0 "the run did not end" "$SOLSTICE" convert killed.solr out.csv
[ "$(column e)" = 3 ] || fail "the last accepted edit is not in the file of a killed session: $(column e)"
[ "$(wc -l <killed.txt)" = 4 ] || fail "script of a killed session: $(cat killed.txt)"

expect 4 "results are written as" "$SOLSTICE" live m.sol --output x.txt </dev/null
expect 4 "No such file" "$SOLSTICE" live m.sol --output none/x.solr </dev/null

exit $((failures > 0))
