#!/bin/sh
# The main demonstration: runs the program on an example, or says that it cannot yet.
#   tools/demo.sh [FILE.sol]
set -eu
cd "$(dirname "$0")/.."

program=build/solstice
example=${1:-$(find stdlib -name '*.sol' -path '*example*' | LC_ALL=C sort | head -n 1)}

if [ ! -x "$program" ]; then
    echo "demo: the program $program is not there yet; nothing was run." >&2
    exit 1
fi
if [ -z "$example" ]; then
    echo "demo: there is no example model in stdlib/ yet; nothing was run." >&2
    exit 1
fi
echo "demo: $program run $example"
exec "$program" run "$example"
