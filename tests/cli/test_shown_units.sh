#!/bin/bash
# Units of variables are checked, and shown where somebody asks: CSV, plots, pages, live.
. "$(dirname "$0")/../support/shell.sh"

cat >fall.sol <<'SOL'
model Fall
interface:
    static Real h {unit << "m", start << 10};
    static Real v {unit << "m/s"};
    static Real bare;
implementation:
    der(h) = v;
    der(v) = -9.81;
    bare = h;
end Fall;
SOL
"$SOLSTICE" run fall.sol --stop 1 --output fall.csv --header-units --quiet || fail "run"
[ "$(head -1 fall.csv)" = "time [s],h [m],v [m/s],bare" ] || fail "CSV: $(head -1 fall.csv)"
"$SOLSTICE" run fall.sol --stop 1 --output plain.csv --quiet || fail "run"
[ "$(head -1 plain.csv)" = "time,h,v,bare" ] || fail "CSV without units: $(head -1 plain.csv)"
cmp -s <(tail -n +2 fall.csv) <(tail -n +2 plain.csv) || fail "the values are others"
"$SOLSTICE" run fall.sol --stop 1 --output fall.solr --quiet || fail "run"
[ "$("$SOLSTICE" convert fall.solr --header-units --vars v | head -1)" = "time [s],v [m/s]" ] || fail "convert"
COLUMNS=60 "$SOLSTICE" plot fall.solr h bare | grep -q 'h \[m\]' || fail "plot"
"$SOLSTICE" report fall.solr --output fall.html && grep -q '"unit": *"m/s"' fall.html || fail "page"
printf 'run to 0\nshow v\n' | "$SOLSTICE" live fall.sol | grep -q 'v = 0 m/s' || fail "live"

sed 's/bare = h/bare = h + v/' fall.sol >wrong.sol
"$SOLSTICE" check wrong.sol 2>err || fail "a warning is no error"
grep -q 'warning: the two terms have different units: m and m/s' err || fail "no warning: $(cat err)"
for command in "check" "run --stop 1 --quiet" "verify --stop 1"; do
    "$SOLSTICE" $command wrong.sol --units strict >out 2>err
    [ $? = 1 ] || fail "$command --units strict: exit code $?"
    grep -q 'error: the two terms have different units: m and m/s' err || fail "$command: $(cat err)"
done
for package in "$SOURCE_DIR"/stdlib/*.sol; do
    "$SOLSTICE" check "$package" --units strict 2>err || fail "$package: $(cat err)"
done

exit $((failures > 0))
