#!/bin/bash
# Wrong inputs, each with the exact messages that it gives: tests/cli/wrong_inputs.txt. There a line `=== ...` begins
# a case, the text of case.sol follows, then each line `--- ARGUMENTS` is a call of the program, followed by its exit code
# and all that it writes to standard error. Places in the library are told without line and column,
# numbers with four decimals at most.
# `test_wrong_inputs.sh --write` writes the table anew, for the reader to judge.
write=${1:-}
. "$(dirname "$0")/../support/shell.sh"
table=$SOURCE_DIR/tests/cli/wrong_inputs.txt
calls=0

begin_case() { # title
    title=$1
    rm -rf case && mkdir case
    printf '=== %s\n' "$title" >>found.txt
    asked=''
}

call() { # arguments
    calls=$((calls + 1))
    local arguments
    eval "arguments=($1)"
    (cd case && timeout 60 "$SOLSTICE" "${arguments[@]}" >out 2>err </dev/null; echo "exit $?" >code)
    { printf -- '--- %s\n' "$1"
      cat case/code
      sed -E -e "s,$SOURCE_DIR/,,g" -e 's,(stdlib/[A-Za-z]+\.sol):[0-9]+:[0-9]+:,\1:,' -e 's/([0-9]\.[0-9]{4})[0-9]+/\1/g' case/err
    } >>found.txt
}

while IFS= read -r line; do
    case $line in
    '=== '*) begin_case "${line#=== }" ;;
    '--- '*) asked=yes; call "${line#--- }" ;;
    *) [ -n "$asked" ] || printf '%s\n' "$line" | tee -a found.txt >>case/case.sol ;;
    esac
done <"$table"

if [ "$write" = --write ]; then
    cp found.txt "$table"
fi
diff "$table" found.txt || fail "messages have changed"
[ "$calls" -ge 60 ] || fail "only $calls wrong inputs"
echo "$calls wrong inputs"
exit $((failures > 0))
