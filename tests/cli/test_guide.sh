#!/bin/bash
# docs/guide.md and docs/language.md do what they say (tests/support/listings.sh).
. "$(dirname "$0")/../support/shell.sh"
. "$SOURCE_DIR/tests/support/listings.sh"
export PATH=$(dirname "$SOLSTICE"):$PATH LC_ALL=C.UTF-8 COLUMNS=60

run_listings "$SOURCE_DIR/docs/guide.md" 4 5
for page in pendulum.html rectifier.svg yeast.png; do
    [ -s "$page" ] || fail "$page was not written"
done
run_listings "$SOURCE_DIR/docs/language.md" 7 7

exit $((failures > 0))
