#!/bin/bash
# What the engine compiles for other machines can be linked there: objects for aarch64 and riscv64
# (and for this one) -> LLVM's own linker, which does everything but run them.
set -u
jitlink=$(command -v llvm-jitlink-19 || command -v llvm-jitlink)
if [ -z "$jitlink" ]; then
    echo "llvm-jitlink is missing (package llvm-19): nothing was checked"
    exit 0
fi
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
fail() {
    echo "FAILED: $*"
    exit 1
}

# TRIPLE CPU FEATURES MACHINE: all objects are of that machine, and each can be linked. Functions of
# libm that are called where a machine has no instruction for them are defined by the engine.
check() {
    mkdir "$folder/$4"
    "$BUILD_DIR/emit_objects" "$1" "$2" "$3" "$folder/$4" >"$folder/out" ||
        fail "$1: nothing was compiled"
    set -- "$1" "$4" "$folder/$4"/*.o
    n=$(($# - 2))
    [ "$n" -ge 100 ] || fail "$1: only $n objects"
    "$jitlink" -noexec -no-process-syms -entry f0 -abs floor=0x10000 -abs ceil=0x10010 "${@:3}" 2>"$folder/words" ||
        fail "$1: $(head -c 2000 "$folder/words")"
    # the machine's number stands in bytes 18 and 19
    found=$(od -An -j18 -N2 -tu2 "$3" | tr -d ' ')
    [ "$found" = "$2" ] || fail "$1: the objects are for machine $found"
    echo "$1: $n objects"
}

check x86_64-pc-linux-gnu x86-64 "" 62
check aarch64-unknown-linux-gnu generic "" 183
check riscv64-unknown-linux-gnu generic-rv64 "+m,+a,+f,+d,+c" 243

# The linker does refuse: what calls a function that nobody defines.
mkdir "$folder/undefined"
"$BUILD_DIR/emit_objects" x86_64-pc-linux-gnu x86-64 "" "$folder/undefined" >/dev/null
"$jitlink" -noexec -no-process-syms -entry f0 "$folder"/undefined/*.o 2>/dev/null && fail "undefined functions were accepted"

# A target that is not served is refused with a reason.
"$BUILD_DIR/emit_objects" nonsense-unknown-linux generic "" "$folder" 2>"$folder/words" &&
    fail "a target that does not exist was accepted"
grep -q "LLVM does not know this machine" "$folder/words" ||
    fail "no reason is given: $(cat "$folder/words")"
