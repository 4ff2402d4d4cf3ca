#!/bin/bash
# docs/guide.md: every listing (```sol) becomes the file its first line names, every ```sh block is run, and
# what it writes to standard output, plots in the terminal apart, must be the ```text block behind it.
. "$(dirname "$0")/../support/shell.sh"

# Blocks into files: 01.sol, 02.sh, 03.text, ... in the order of the page.
awk '/^```(sol|sh|text)$/ { name = sprintf("%02d.%s", ++n, substr($0, 4)); next }
     /^```$/ { name = ""; next }
     name { print > name }' "$SOURCE_DIR/docs/guide.md"
[ "$(ls -- *.sol | wc -l)" -ge 4 ] || fail "listings of the guide were not found"

for listing in [0-9]*.sol; do
    cp "$listing" "$(sed -n '1s,^// ,,p' "$listing")"
done
export PATH=$(dirname "$SOLSTICE"):$PATH LC_ALL=C.UTF-8 COLUMNS=60

texts=0
for script in [0-9]*.sh; do
    bash -eo pipefail "$script" >"out.$script" 2>"err.$script" || fail "$script: $(cat "$script" "err.$script")"
    expected=$(printf '%02d.text' $((10#${script%.sh} + 1)))
    [ -f "$expected" ] || continue
    texts=$((texts + 1))
    grep -v '[│┤└━]\|^  *0' "out.$script" | diff "$expected" - || fail "$script says something else"
done
[ "$texts" -ge 4 ] || fail "texts of the guide were not compared"
for page in pendulum.html rectifier.svg yeast.png; do
    [ -s "$page" ] || fail "$page was not written"
done

exit $((failures > 0))
