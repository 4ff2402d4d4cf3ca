#!/bin/bash
# solstice live in a terminal: completion, history, Ctrl-C.
. "$(dirname "$0")/../support/shell.sh"

command -v python3 >/dev/null || { echo "there is no python3: not tested"; exit 0; }
timeout 200 python3 "$SOURCE_DIR/tests/cli/live_terminal.py" "$SOLSTICE" Electric.Examples.Rectifier || fail "the prompt"
exit $((failures > 0))
