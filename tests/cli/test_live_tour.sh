#!/bin/bash
# The tour in docs/live.md: what is typed there is answered as it says there.
. "$(dirname "$0")/../support/shell.sh"

sed -n 's/^    \(> .*\|[a-z].*\)$/\1/p' "$SOURCE_DIR/docs/live.md" >tour.txt
sed -n 's/^> //p' tour.txt >typed.txt
grep -v '^> ' tour.txt >expected.txt
"$SOLSTICE" live Electric.Examples.Rectifier --cache off <typed.txt >answers.txt

[ "$(wc -l <expected.txt)" -ge 20 ] || fail "the tour was not found"
[ "$(wc -l <expected.txt)" -eq "$(wc -l <answers.txt)" ] || fail "one answer per line: $(cat answers.txt)"
paste -d '\n' expected.txt answers.txt | while IFS= read -r expected && IFS= read -r answer; do
  pattern=$(printf '%s' "$expected" | sed 's/[][\.*^$]/\\&/g; s/\\\.\\\.\\\./.*/g')
  printf '%s\n' "$answer" | grep -qx -- "$pattern" ||
    { echo "expected: $expected"; echo "answered: $answer"; exit 1; }
done || fail "an answer is not the one of the tour"
exit $((failures > 0))
