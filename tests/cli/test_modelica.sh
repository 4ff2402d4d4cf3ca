#!/bin/bash
# docs/modelica.md: every line of its right columns runs, with the audit, in the model above its table.
. "$(dirname "$0")/../support/shell.sh"

awk '
    /^```sol$/ { scaffold = ""; inside = 1; next }
    /^```$/ { inside = 0; next }
    inside { scaffold = scaffold $0 "\n"; next }
    /^\| `/ {
        n = split($0, cell, /` \| `/)
        if (n != 2 || scaffold == "") { print "bad row: " $0 > "bad"; next }
        sub(/` \|$/, "", cell[2])
        text = scaffold
        at = index(text, "// ...")
        rest = substr(text, at + 6)
        if (cell[2] ~ /^connection/) sub(/connect\(a\.p, l\.p\);/, "", rest)
        printf "%s%s%s", substr(text, 1, at - 1), cell[2], rest > sprintf("row%03d.sol", ++rows)
    }
    END { print rows > "rows" }' "$SOURCE_DIR/docs/modelica.md"
[ -f bad ] && fail "$(cat bad)"
[ "$(cat rows)" -ge 50 ] || fail "only $(cat rows) lines were found"
for row in row*.sol; do
    "$SOLSTICE" run "$row" --stop 2 --steps 20 --output "$row.csv" --audit --quiet >out 2>err ||
        fail "$row: $(cat "$row" err)"
    ! grep -q 'error' err || fail "$row: $(cat err)"
done

exit $((failures > 0))
