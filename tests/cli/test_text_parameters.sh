#!/bin/bash
# Parameters that are texts: defaults, handed down, compared, set from outside, as names of tables (found beside
# the model's file, wherever the program is started), of instances born later; and what is said when they are wrong.
set -u
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
mkdir "$work/sub" "$work/elsewhere"
cd "$work/elsewhere" || exit 1
printf '0 0 1\n1 2 3\n2 5 5\n' >"$work/ramp.txt"
printf '0 0\n4 8\n' >"$work/sub/two.txt"
cat >"$work/t.sol" <<'SOL'
model Inner
interface:
  parameter String file;
  parameter String note << "none";
  parameter Integer column << 2;
  Real y;
implementation:
  assert(condition = note <> "bad", message = "the note must not be bad");
  y = table(x = time, file = file, column = column);
  if note == "loud" then cout << note; end;
end Inner;
model Outer
interface:
  parameter String data << "ramp.txt";
  Inner a{file << data, note << "loud"};
  Blocks.Table b{file << data, column << 3};
  String mode;
implementation:
  b.u = time;
  if time > 1 then mode << "late"; else then mode << "early"; end;
end Outer;
model Born
implementation:
  dynamic Inner c;
  Real q;
  when time > 0.5 then c <- Inner{file << "ramp.txt"}; end;
  if c? then q = c.y; else then q = 0; end;
end Born;
model Missing implementation: Inner a{file << "nofile.txt"}; end Missing;
model Bad implementation: Inner a{file << "ramp.txt", note << "bad"}; end Bad;
SOL
last() { "$SOLSTICE" run "$work/t.sol:$1" --stop 2 --steps 2 --quiet --output "$work/r.csv" "${@:2}" >"$work/out" 2>"$work/err"; tail -n 1 "$work/r.csv"; }
expect() { [ "$1" = "$2" ] || { cat "$work/err"; echo "found '$1', expected '$2'"; exit 1; }; }
expect "$(last Outer)" "2,ramp.txt,late,ramp.txt,loud,2,5,ramp.txt,3,2,5"
expect "$(cat "$work/out")" "loud"
expect "$(last Outer --set 'data="sub/two.txt"' --set b.column=2)" "2,sub/two.txt,late,sub/two.txt,loud,2,4,sub/two.txt,2,2,4"
expect "$(last Born --vars q)" "2,5"
last Missing >/dev/null
grep -q "table 'nofile.txt': No such file" "$work/err" || { cat "$work/err"; exit 1; }
last Bad >/dev/null
grep -q "error: Inner 'a': the note must not be bad (note = \"bad\")" "$work/err" || { cat "$work/err"; exit 1; }
