#!/bin/sh
# The main demonstration: two seconds of the trebuchet, or another model, and its result in build/.
#   tools/demo.sh [FILE.sol[:MODEL]]
set -eu
cd "$(dirname "$0")/.."

program=build/solstice
example=${1:-stdlib/Planar.sol:Planar.Examples.Trebuchet}

if [ ! -x "$program" ]; then
    echo "demo: the program $program is not there yet; nothing was run." >&2
    exit 1
fi
echo "demo: $program run $example --stop 2"
exec "$program" run "$example" --stop 2 --output build/demo.csv
