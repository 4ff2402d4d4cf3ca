#!/bin/sh
# Runs the measurements: perf/run.sh if it exists, else each benchmark program, into perf/out/.
set -eu
cd "$(dirname "$0")/.."

mkdir -p perf/out
if [ -x perf/run.sh ]; then
    exec perf/run.sh
fi
ran=0
for source in perf/bench_*.c; do
    [ -e "$source" ] || continue
    name=$(basename "$source" .c)
    echo "==== $name"
    "build/$name" >"perf/out/$name.txt" || { echo "perf: $name failed" >&2; exit 1; }
    cat "perf/out/$name.txt"
    ran=$((ran + 1))
done
echo "perf: $ran benchmarks run"
