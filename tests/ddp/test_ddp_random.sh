#!/bin/bash
# Random systems under random changes, every commit held against the oracle: 100,000 changes in a release build,
# a tenth of them where verifiers and sanitizers make each one slow.
set -u
part=1
grep -q '^CMAKE_BUILD_TYPE:STRING=Release' "$BUILD_DIR/CMakeCache.txt" || part=10
failed=0
run() { # changes, seed, size, index
    "$BUILD_DIR/ddp_random" --changes $(($1 / part)) --seed "$2" --size "$3" --index "$4" || failed=1
}
run 20000 1 5 0
run 20000 2 8 1
run 20000 3 8 2
run 20000 4 10 3
run 15000 5 16 2
run 5000 6 30 3
exit $failed
