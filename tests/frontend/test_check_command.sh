#!/bin/bash
# The commands check and graph from outside: exit codes, where output goes, colour, pictures.
set -u
failures=0
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
good=$SOURCE_DIR/tests/lang/good/rotational.sol

expect() { # exit code, what must be in stdout, what must be in stderr, command...
    local code=$1 out=$2 err=$3
    shift 3
    "$@" >"$dir/out" 2>"$dir/err"
    local got=$?
    if [ "$got" -ne "$code" ]; then
        echo "exit code $got instead of $code: $*"
        cat "$dir/err"
        failures=$((failures + 1))
    fi
    for which in out err; do
        local wanted=${!which}
        if [ -z "$wanted" ] && [ -s "$dir/$which" ]; then
            echo "nothing was expected on std$which: $*"
            cat "$dir/$which"
            failures=$((failures + 1))
        elif [ -n "$wanted" ] && ! grep -qF -- "$wanted" "$dir/$which"; then
            echo "'$wanted' is missing on std$which: $*"
            cat "$dir/$which"
            failures=$((failures + 1))
        fi
    done
}

# exit codes
expect 0 "" "no errors" "$SOLSTICE" check "$good"
expect 0 "" "no errors" "$SOLSTICE" check "$good:Machine"
expect 0 "" "no errors" "$SOLSTICE" check "$good:Rotational.Gear"
expect 1 "" "does not define 'Nothing'" "$SOLSTICE" check "$good:Nothing"
expect 1 "" "unknown name 'y'" "$SOLSTICE" check "$SOURCE_DIR/tests/lang/bad/resolve_unknown_variable.sol"
expect 4 "" "cannot read" "$SOLSTICE" check "$dir/nothing.sol"
expect 4 "" "cannot read" "$SOLSTICE" check "$dir"
expect 2 "" "which file?" "$SOLSTICE" check
expect 2 "" "unknown option '--wrong'" "$SOLSTICE" check --wrong "$good"
expect 2 "" "one word too many" "$SOLSTICE" check "$good" "$good"
expect 2 "" "-L wants a folder" "$SOLSTICE" check "$good" -L
expect 2 "" "-L more than 32 times" "$SOLSTICE" check "$good" $(printf -- '-L. %.0s' {1..33})
expect 2 "" "--types or --packages" "$SOLSTICE" graph --types --packages "$good"
expect 2 "" "unknown command 'chek'" "$SOLSTICE" chek
expect 2 "" "usage:" "$SOLSTICE"
expect 0 "digraph causality" "" "$SOLSTICE" graph "$good"
expect 0 "usage:" "" "$SOLSTICE" --help
expect 0 "usage: solstice check" "" "$SOLSTICE" check --help
expect 0 "usage: solstice graph" "" "$SOLSTICE" graph --help
expect 0 "solstice " "" "$SOLSTICE" --version

# limits
expect 2 "" "--max-nesting" "$SOLSTICE" check "$good" --max-nesting
expect 2 "" "--max-nesting" "$SOLSTICE" check "$good" --max-nesting many
expect 2 "" "--max-nesting wants a number from 1 to 2000" "$SOLSTICE" check "$good" --max-nesting 2001
expect 2 "" "--max-nesting wants a number from 1 to 2000" "$SOLSTICE" flat "$good" --max-nesting=0
expect 1 "" "nested deeper than 1 levels" "$SOLSTICE" check "$good" --max-nesting 1
expect 1 "" "more than 3 definitions" "$SOLSTICE" check --max-definitions=3 "$good"
expect 1 "" "more than 5 members and statements" "$SOLSTICE" check "$good" --max-statements 5

deep=$SOURCE_DIR/tests/lang/bad/recursion_without_end.sol
expect 1 "" "more than 20 instances" "$SOLSTICE" check --instantiate "$deep" --max-instances 20
expect 1 "" "more than 20 instances" "$SOLSTICE" flat "$deep" --max-instances 20
expect 1 "" "more than 20 instances" "$SOLSTICE" run "$deep" --max-instances=20 --output "$dir/x.solr"

# libraries, and a colon in a file's name
library=$SOURCE_DIR/tests/lang/library
expect 1 "" "unknown name 'More'" "$SOLSTICE" check "$library/uses.sol"
expect 0 "" "no errors" "$SOLSTICE" check "$library/uses.sol" -L "$library/more"
expect 0 "" "no errors" "$SOLSTICE" check "-L$library/more" "$library/uses.sol"
cp "$good" "$dir/a:b.sol"
expect 0 "" "no errors" "$SOLSTICE" check "$dir/a:b.sol"
expect 0 "" "no errors" "$SOLSTICE" check "$dir/a:b.sol:Machine"

# a message has its place, its line and a caret; no colour in a file
printf 'model A\nimplementation:\n\tReal x;\n\tx = y;\nend A;\n' >"$dir/a.sol"
expect 1 "" "a.sol:4:6: error: unknown name 'y'" "$SOLSTICE" check "$dir/a.sol"
expect 1 "" "         ^" "$SOLSTICE" check "$dir/a.sol"
if grep -q $'\033' "$dir/err"; then
    echo "colour in a file"
    failures=$((failures + 1))
fi

# texts that nobody would write
{ printf 'model A\nimplementation:\n Real x;\n x = '; head -c 100000 /dev/zero | tr '\0' '('; } >"$dir/deep.sol"
expect 1 "" "nested deeper" "$SOLSTICE" check "$dir/deep.sol"
head -c 1000000 /dev/zero >"$dir/zero.sol"
expect 1 "" "NUL byte" "$SOLSTICE" check "$dir/zero.sol"
{ printf 'model A implementation: Real x; '; head -c 10000000 /dev/zero | tr '\0' ';'; printf ' end A'; } >"$dir/line.sol"
expect 1 "" "expected ';'" "$SOLSTICE" check "$dir/line.sol"
: >"$dir/empty.sol"
expect 0 "" "no errors" "$SOLSTICE" check "$dir/empty.sol"
expect 1 "" "NUL byte" "$SOLSTICE" check "$SOLSTICE"

# pictures
expect 0 "Rotational.SteadyEngine\\nRotational.PistonEngine" "" "$SOLSTICE" graph --types "$good"
node() { grep -F "$1" "$dir/out" | sed 's/^ *\([a-z0-9]*\) .*/\1/' | head -1; }
engine=$(node 'SteadyEngine\n') flange=$(node '.OneFlange') empty=$(node 'FlatMachine\n')
grep -qF "$engine -> $flange;" "$dir/out" || { echo "an engine is no OneFlange"; failures=$((failures + 1)); }
grep -qF "$engine -> $empty;" "$dir/out" && { echo "an edge that others imply"; failures=$((failures + 1)); }
expect 0 "style=dotted" "" "$SOLSTICE" graph --packages "$good"
gear=$(node '"Gear"') rotational=$(node '"Rotational"') template=$(node '"Template"')
grep -qF "$rotational -> $gear [dir=none]" "$dir/out" || { echo "Gear is not inside"; failures=$((failures + 1)); }
grep -qF "$rotational -> $template [style=dotted" "$dir/out" || { echo "no inheritance"; failures=$((failures + 1)); }
expect 1 "" "unknown name" "$SOLSTICE" graph --types "$dir/a.sol"

[ "$failures" -eq 0 ] || { echo "$failures failures"; exit 1; }
echo "all passed"
