#!/bin/bash
# solstice live --socket: an independent client in Python, and messages that make no sense. FUZZ_MESSAGES (400) of them.
. "$(dirname "$0")/../support/shell.sh"

command -v python3 >/dev/null || { echo "there is no python3: not tested"; exit 0; }
printf 'model Empty\nimplementation:\nend Empty;\n' >Empty.sol
timeout 600 "$SOLSTICE" live Empty.sol --cache off --engine interp --socket "$work/socket" 2>err &
pid=$!
for _ in $(seq 100); do [ -S socket ] && break; sleep 0.1; done
timeout 600 python3 "$SOURCE_DIR/tests/cli/live_client.py" "$work/socket" "${FUZZ_MESSAGES:-400}" "${SOAK_SEED:-1}" || fail "the client: $(cat err)"
wait $pid || fail "the program: $? $(cat err)"
[ -e socket ] && fail "the socket stays"
exit $((failures > 0))
