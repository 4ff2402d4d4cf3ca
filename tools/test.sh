#!/bin/bash
# Checks the format, then builds and tests everything: release and asan with their tests, clang for its
# warnings, 30,000 inputs for each fuzz target; the tests of compiling in the background with the
# thread sanitizer.
# A step that fails does not stop the others; the exit status is 0 only if none failed.
# Arguments go to cmake.
cd "$(dirname "$0")/.." || exit 1

failed=()

build() { # preset, options for cmake
    echo "==== build $1"
    cmake --preset "$@" && cmake --build --preset "$1" && return
    failed+=("build $1")
    return 1
}

run_tests() { # preset, its build folder
    echo "==== test $1"
    ctest --test-dir "$2" -j2 --output-on-failure || failed+=("tests $1")
}

echo "==== format"
find base exact numerics frontend ddp jit runtime tests perf \( -name '*.[ch]' -o -name '*.cc' \) -print0 |
    xargs -0 clang-format-14 --dry-run --Werror || failed+=("format, \`make format\` mends it")

build release "$@" && run_tests release build
build asan "$@" && run_tests asan build/asan
build clang "$@"

# The tests with threads, under the thread sanitizer.
echo "==== threads"
cmake --preset tsan "$@" &&
    cmake --build build/tsan --target test_jit test_engine_threads solstice_llvm &&
    (cd build/tsan && ./test_jit && ./test_engine_threads) || failed+=("threads")

# A short look at inputs that nobody wrote, the same each time; `make fuzz` looks longer, and anew.
if build fuzz "$@"; then
    rm -rf build/fuzz/corpus
    tools/fuzz.sh 60 1 30000 >build/fuzz/log 2>&1 || {
        failed+=("fuzz, see build/fuzz/log")
        grep -nE '^====|ERROR|SUMMARY|ALARM|Test unit|    #[0-9]' build/fuzz/log | head -n 40
    }
    tail -n 1 build/fuzz/log
fi

if [ ${#failed[@]} -gt 0 ]; then
    printf 'make test: FAILED:'
    printf ' [%s]' "${failed[@]}"
    printf '\n'
    exit 1
fi
echo "make test: all builds and tests passed"
