#!/bin/bash
# The package `solstice`: what it computes against closed forms, gaps, events, edits, saving; and that no misuse ends the interpreter.
. "$(dirname "$0")/../support/shell.sh"
. "$SOURCE_DIR/tests/support/python.sh"

run_python "$SOURCE_DIR/tests/python/package_tests.py" || fail "package_tests.py"
run_python "$SOURCE_DIR/tests/python/misuse_tests.py" || fail "misuse_tests.py"
exit $((failures > 0))
