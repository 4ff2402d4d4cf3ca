#!/bin/bash
# Runs all random tests in the builds release, asan and tsan, SECONDS in all, from SEED on.
#   tools/soak.sh SECONDS [SEED] [NAME...]
# A random test is a file tests/**/test_* that names soak.h or SOAK_SECONDS; NAMEs choose among them.
# SOAK_BUILDS="release asan" chooses builds. One line per test and build: cases run and verdict, and
# how to repeat what failed; logs stay in build/soak.
set -u
cd "$(dirname "$0")/.." || exit 1

seconds=${1:-60}
seed=${2:-}
shift $(($# < 2 ? $# : 2))
[ -n "$seed" ] || seed=$(($(od -An -N4 -tu4 /dev/urandom) / 4 + 1))
builds=${SOAK_BUILDS:-release asan tsan}
jobs=$(nproc)
logs=build/soak

mapfile -t files < <(grep -rlE 'tests/support/soak\.h|SOAK_SECONDS' tests --include='test_*.c' --include='test_*.sh' |
    grep -v /test_soak.c | sort)

name_of() { # file -> name of its test
    basename "$1" .c
}

folder_of() { # preset -> its build folder
    [ "$1" = release ] && echo build || echo "build/$1"
}

wanted() { # name, NAMEs
    local name=$1
    shift
    [ $# -eq 0 ] && return 0
    for one in "$@"; do [ "$one" = "$name" ] && return 0; done
    return 1
}

# The thread sanitizer cannot follow processes that are forked beside MPI's threads ("dup thread with used id").
can_run() { # file, preset
    [ "$2" != tsan ] || [ "$(name_of "$1")" != test_sweep_mpi.sh ]
}

# Only what these tests need: themselves, the program, the tools and the libraries that scripts use.
build() { # preset
    local targets=(solstice)
    for file in "${files[@]}" tests/tools/*.c tests/libraries/*.c; do
        case $file in *.c) targets+=("$(basename "$file" .c)") ;; esac
    done
    cmake --preset "$1" && cmake --build "$(folder_of "$1")" --target "${targets[@]}"
}

run() { # file, preset, seconds: one test in one build; its output goes to the log
    local folder=$PWD/$(folder_of "$2") command
    command="$folder/$(name_of "$1")"
    case $1 in *.sh) command="bash $PWD/$1" ;; esac
    (
        export SOLSTICE="$folder/solstice" SOURCE_DIR="$PWD" BUILD_DIR="$folder"
        export SOAK_SECONDS=$3 SOAK_SEED=$seed UBSAN_OPTIONS=print_stacktrace=1 TSAN_OPTIONS=halt_on_error=1
        export LSAN_OPTIONS=suppressions=$PWD/tests/lsan.supp:print_suppressions=0
        unset SOAK_CASES
        cd "$folder" && exec timeout -s ABRT -k 20 $((${3%.*} + 600)) $command
    )
}

# A case that said how to repeat it, or else all that were run.
repeat() { # file, preset, log
    local what
    what=$(grep -o 'SOAK_SEED=[0-9]* SOAK_CASES=[0-9]*' "$3" | head -n 1)
    [ -n "$what" ] || what="SOAK_SEED=$seed SOAK_CASES=$(cases_in "$3")"
    echo "    $what ctest --test-dir $(folder_of "$2") -R '^$(name_of "$1")\$' -V"
}

cases_in() { # log -> number of cases that were run
    awk '/^soak: .* cases from seed/ { sub(/ cases from seed.*/, ""); n += $NF } END { print n + 0 }' "$1"
}

soak() { # file, preset, seconds: runs it and prints the verdict, all at once
    local log status verdict=passed
    log=$logs/$(name_of "$1")-$2.log
    run "$@" >"$log" 2>&1
    status=$?
    if [ $status -ne 0 ]; then
        verdict="FAILED (status $status, see $log); repeat it:"$'\n'$(repeat "$1" "$2" "$log")
    elif [ "$(cases_in "$log")" -eq 0 ]; then
        verdict="FAILED (no case was run, see $log)"
        status=1
    fi
    printf '%-28s %-8s seed %s: %s cases, %s\n' "$(name_of "$1")" "$2" "$seed" "$(cases_in "$log")" "$verdict"
    return $status
}

chosen=()
for file in "${files[@]}"; do
    wanted "$(name_of "$file")" "$@" && chosen+=("$file")
done
mkdir -p $logs
for preset in $builds; do
    build "$preset" >"$logs/build-$preset.log" 2>&1 || {
        echo "soak: build $preset failed, see $logs/build-$preset.log"
        exit 1
    }
done

runs=$((${#chosen[@]} * $(wc -w <<<"$builds")))
[ $runs -gt 0 ] || { echo "soak: no such test"; exit 1; }
share=$(awk "BEGIN { s = $seconds * $jobs / $runs; printf \"%.1f\", s < $seconds ? s : $seconds }")
echo "soak: $runs runs of $share s, $jobs at a time, SEED=$seed"
passed=0 failed=0 running=0
finish_one() {
    if wait -n; then passed=$((passed + 1)); else failed=$((failed + 1)); fi
    running=$((running - 1))
}
for preset in $builds; do
    for file in "${chosen[@]}"; do
        can_run "$file" "$preset" || continue
        [ $running -lt "$jobs" ] || finish_one
        soak "$file" "$preset" "$share" &
        running=$((running + 1))
    done
done
while [ $running -gt 0 ]; do finish_one; done
echo "soak SECONDS=$seconds SEED=$seed: $passed passed, $failed failed"
[ $failed -eq 0 ]
