#!/bin/bash
# Random systems under random changes, every commit held against the oracle: 100,000 changes in a release build,
# a tenth of them where verifiers and sanitizers make each one slow; as many as SOAK_SECONDS allow in `make soak`.
set -u
part=1
grep -q '^CMAKE_BUILD_TYPE:STRING=Release' "$BUILD_DIR/CMakeCache.txt" || part=10
failed=0
run() { # changes, size, index, share of the time
    "$BUILD_DIR/ddp_random" --changes $(($1 / part)) --size "$2" --index "$3" --soak "$4" || failed=1
}
run 20000 5 0 0.15
run 20000 8 1 0.2
run 20000 8 2 0.2
run 20000 10 3 0.2
run 15000 16 2 0.15
run 5000 30 3 0.1
exit $failed
