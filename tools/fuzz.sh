#!/bin/sh
# Runs every fuzz target of build/fuzz for SECONDS; new inputs and crashes stay in build/fuzz.
#   tools/fuzz.sh SECONDS [SEED RUNS]
# With a seed and a number of runs each target makes the same inputs everywhere, unless time ends it.
# Seed inputs of tests/fuzz/fuzz_x.c are the files in tests/fuzz/corpus/fuzz_x/; targets that read Sol
# start from the language tests too, and know the words of the language.
set -eu
cd "$(dirname "$0")/.."

seconds=${1:-60}
seed=${2:-0}
runs=${3:--1}
status=0
ran=0
for source in tests/fuzz/*.c; do
    [ -e "$source" ] || continue
    name=$(basename "$source" .c)
    case $name in test_*) continue ;; esac
    found=build/fuzz/corpus/$name
    seeds=tests/fuzz/corpus/$name
    mkdir -p "$found"
    [ -d "$seeds" ] || seeds=
    dict=
    case $name in fuzz_frontend | fuzz_instances)
        seeds="$seeds tests/lang/good tests/lang/bad"
        dict=-dict=tests/fuzz/sol.dict
        ;;
    esac
    echo "==== $name, $seconds s, seed $seed"
    "build/fuzz/$name" -seed="$seed" -runs="$runs" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 \
        $dict -print_final_stats=1 -artifact_prefix="build/fuzz/$name-" "$found" $seeds ||
        status=1
    ran=$((ran + 1))
done
echo "fuzz: $ran targets run, status $status"
exit $status
