#!/bin/bash
# The packages as texts: every one checks, every example has a structure and a test that runs it,
# every component is used somewhere, what is wrong is reported in terms of the component, and
# the pages in docs/ are up to date.
cd "$SOURCE_DIR" || exit 1
failed=0

complain() {
    echo "FAILED: $*"
    failed=1
}

examples() { # file -> designators of its examples
    local package
    package=$(basename "$1" .sol)
    sed -n '/package Examples/,$p' "$1" | sed -n "s/^ *model \([A-Za-z0-9_]*\).*/$package.Examples.\1/p"
}

# Models that are neither partial nor examples, by their path inside the package: Basic.Resistor.
components() { # file -> paths
    awk '/^ *package Examples/ { exit }
         /^ *package / { if (depth++) sub_package = $2 "." }
         /^ *model / { print sub_package $2; model = $2 }
         /^ *end [A-Z]/ { name = $2; sub(/;/, "", name); if (name "." == sub_package) { sub_package = ""; depth-- } }' "$1"
}

# Uses of all files, without the lines that define: a component counts as used where its path stands in its own
# package, its whole designator anywhere, or its name alone in its own package.
uses() { # file, path of the component
    local package name=${2##*.}
    package=$(basename "$1" .sol)
    grep -hv "^ *\(model\|end\) " "$1" | grep -Eq "(^|[ (])($2|$name)( [a-zA-Z]|[{(;])" ||
        grep -hv "^ *\(model\|end\) " stdlib/*.sol tests/stdlib/extra.sol | grep -qE "(^|[ (])$package\.$2( [a-zA-Z]|[{(;])"
}

for file in stdlib/*.sol tests/stdlib/extra.sol; do
    "$SOLSTICE" check -L stdlib "$file" || complain "check $file"
done

for file in stdlib/*.sol; do
    for model in $(examples "$file"); do
        "$SOLSTICE" check --instantiate "$file:$model" || complain "check --instantiate $model"
        grep -qF "\"$model\"" tests/stdlib/*.c || complain "no test runs $model"
    done
    for path in $(components "$file"); do
        uses "$file" "$path" || complain "nothing uses $(basename "$file" .sol).$path"
    done
done

# By its designator alone, from anywhere; with the library that belongs to the program.
(cd / && "$SOLSTICE" check Thermal.Examples.Contact) || complain "a model of the library by its name"

for expected in tests/stdlib/flat_*.txt; do
    model=$(sed -n '1s/model //p' "$expected")
    "$SOLSTICE" flat "stdlib/${model%%.*}.sol:$model" | diff - "$expected" ||
        complain "flat $model differs from $expected"
done

# Wrong on purpose: model, what the message must name.
wrong() {
    local text
    if text=$("$SOLSTICE" check --instantiate -L stdlib "tests/stdlib/extra.sol:Extra.$1" 2>&1); then
        complain "$1 passed"
    fi
    shift
    for word in "$@"; do
        grep -qF "$word" <<<"$text" || complain "no '$word' in: $text"
    done
}
wrong TwoGrounds "error: Ground 'G1' and Ground 'G2' both fix the potential of one node: one of them is too many"
told() {
    local text
    text=$("$SOLSTICE" check --instantiate -L stdlib "tests/stdlib/extra.sol:Extra.$1" 2>&1) || complain "$1 is refused: $text"
    grep -qF "$2" <<<"$text" || complain "no '$2' in: $text"
}
told OpenPin "note: not connected, so that nothing flows there: 'R.n'"
told NoGround "note: the circuit of 'source' and 'R' has no ground: its potential is set to 0 at source.n"
told FloatingSide "note: the circuit of 'transformer' and 'load' has no ground: its potential is set to 0 at transformer.n2"

# Parameters that make no sense: component | parameters | message. Every assertion of the library is here.
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
while IFS='|' read -r component parameters message; do
    echo "model M implementation: $component c{$parameters}; end M;" >"$work/m.sol"
    "$SOLSTICE" check --instantiate -L stdlib "$work/m.sol" >"$work/messages" 2>&1 && complain "$component{$parameters} passed"
    grep -qxF "$work/m.sol:1:$((26 + ${#component})): error:${message}" "$work/messages" ||
        complain "not '$message' but $(cat "$work/messages")"
done < <(sed 's/ *| */|/; s/ *|/|/2' tests/stdlib/misuse.txt)
while IFS= read -r message; do
    grep -qF ": $message (" tests/stdlib/misuse.txt || complain "no test of the assertion '$message'"
done < <(sed -n 's/.*message = "\(.*\)");/\1/p' stdlib/*.sol | sort -u)

# The pages are those that the sources give, and every example has its pictures there.
tools/stdlib_doc.sh "$work/docs"
diff "$work/docs/stdlib.md" docs/stdlib.md && diff -r -x '*.png' "$work/docs/library" docs/library ||
    complain "the pages of the library are old: make docs"
for file in stdlib/*.sol; do
    for model in $(examples "$file"); do
        grep -q "^$model[: ]" tools/stdlib_pictures.txt || complain "no picture of $model"
    done
done
while read -r picture; do
    [ -s "docs/library/$picture" ] || complain "docs/library/$picture is missing: make docs"
done < <(sed -n 's/^!\[.*\](\(.*\))$/\1/p' docs/library/*.md)
for picture in docs/library/*.png; do
    grep -qF "($(basename "$picture"))" docs/library/*.md || complain "no page shows $picture"
done

exit $failed
