#!/bin/bash
# docs/python.md does what it says.
. "$(dirname "$0")/../support/shell.sh"
. "$SOURCE_DIR/tests/support/python.sh"
export MPLBACKEND=Agg
run_python "$SOURCE_DIR/tests/python/run_page.py" "$SOURCE_DIR/docs/python.md" 8 || fail "docs/python.md"
exit $((failures > 0))
