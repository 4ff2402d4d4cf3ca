#!/bin/bash
# The main demonstration tells the range of the throw, the six structural changes, and where the page is.
set -u
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
OUTPUT_DIR=$work "$SOURCE_DIR/tools/demo.sh" >"$work/told" 2>&1 || { cat "$work/told"; exit 1; }
expect() { grep -qx "$1" "$work/told" || { cat "$work/told"; echo "no line '$1'"; exit 1; }; }
expect "range of the throw: 1014\.3[0-9] m, 12\.26[0-9] s after the start"
expect "    6 in all: 4, \[2\], 6, 10, \[8\], 8, 10"
expect "page: $work/demo.html"
grep -q "<html" "$work/demo.html" || { echo "no page"; exit 1; }
