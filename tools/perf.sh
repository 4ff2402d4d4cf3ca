#!/bin/sh
# Runs the benchmarks; see perf/README.md. Options are those of perf/run.py (--quick, --only, ...).
set -eu
cd "$(dirname "$0")/.."
exec python3 perf/run.py "$@"
