#!/bin/bash
# docs/sweep.md does what it says (tests/support/listings.sh).
. "$(dirname "$0")/../support/shell.sh"
. "$SOURCE_DIR/tests/support/listings.sh"
export PATH=$(dirname "$SOLSTICE"):$PATH LC_ALL=C.UTF-8

run_listings "$SOURCE_DIR/docs/sweep.md" 1 3
exit $((failures > 0))
