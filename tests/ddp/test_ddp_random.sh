#!/bin/bash
# Random systems under random changes, 100,000 in all in an optimised build (fewer where verifiers and
# sanitizers make each one slow), every commit held against the oracle.
set -u
total=100000
grep -q '^CMAKE_BUILD_TYPE:STRING=Release' "$BUILD_DIR/CMakeCache.txt" || total=8000
failed=0
run() { # share in percent, seed, size, index
    "$BUILD_DIR/ddp_random" --changes $((total * $1 / 100)) --seed "$2" --size "$3" --index "$4" || failed=1
}
run 20 1 5 0
run 20 2 8 1
run 20 3 8 2
run 20 4 10 3
run 15 5 16 2
run 5 6 30 3
exit $failed
