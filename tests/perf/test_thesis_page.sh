#!/bin/bash
# docs/thesis.md is what tools/thesis.py makes, as far as that takes seconds: its lines and messages, but for the numbers in them.
set -u
cd "$SOURCE_DIR" || exit 1
python3 tools/thesis.py "$SOLSTICE" --quick >"$BUILD_DIR/thesis_quick.md" || exit 1
[ "$(grep -c '^|' "$BUILD_DIR/thesis_quick.md")" -ge 25 ] || { echo "the page is short"; exit 1; }
bare() { sed 's/[0-9][0-9,.]*/N/g' "$1"; }
missing=$(grep -vxFf <(bare docs/thesis.md) <(bare "$BUILD_DIR/thesis_quick.md"))
[ -z "$missing" ] || { echo "not in docs/thesis.md, which tools/thesis.py makes:"; echo "$missing"; exit 1; }
