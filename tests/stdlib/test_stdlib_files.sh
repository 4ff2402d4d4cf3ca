#!/bin/bash
# The packages as texts: every one checks, every example has a structure and a test that runs it,
# every component is used somewhere, what is wrong is reported in terms of the component, and
# docs/stdlib.md is up to date.
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

# Models in place and by name: everything between `model NAME` outside Examples that is not partial.
components() { # file -> names
    sed '/package Examples/,$d' "$1" | sed -n 's/^ *model \([A-Za-z0-9_]*\).*/\1/p'
}

for file in stdlib/*.sol tests/stdlib/extra.sol; do
    "$SOLSTICE" check -L stdlib "$file" || complain "check $file"
done

for file in stdlib/*.sol; do
    for model in $(examples "$file"); do
        "$SOLSTICE" check --instantiate "$file:$model" || complain "check --instantiate $model"
        grep -qF "\"$model\"" tests/stdlib/*.c || complain "no test runs $model"
    done
    for name in $(components "$file"); do
        grep -Eq "(^|[ .(])$name( [a-zA-Z]|[{(;])" <(grep -hv "^ *\(model\|end\) " stdlib/*.sol \
            tests/stdlib/extra.sol) || complain "$file: nothing uses $name"
    done
done

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
wrong OpenPin "too few equations" "variable 'R.n.i'"
wrong TwoGrounds "too many equations" "G1.p.u = G2.p.u" "equation 'G2.p.u = 0'"

tools/stdlib_doc.sh | diff - docs/stdlib.md ||
    complain "docs/stdlib.md is old: tools/stdlib_doc.sh > docs/stdlib.md"

exit $failed
