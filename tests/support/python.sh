# python.sh: sourced after shell.sh: $python, an interpreter with NumPy that finds the package `solstice` and the library of this
# build; `run_python ARGUMENTS` runs it, with the runtime of the sanitizers where the library has them.
python=
for candidate in "${PYTHON:-}" /usr/bin/python3 python3; do
    [ -n "$candidate" ] && "$candidate" -c 'import numpy' 2>/dev/null && { python=$candidate; break; }
done
[ -n "$python" ] || { echo "no python3 with NumPy: Debian's package python3-numpy has it"; exit 1; }
export PYTHONPATH=$SOURCE_DIR/python SOLSTICE_LIBRARY=$BUILD_DIR/libsolstice.so PYTHONDONTWRITEBYTECODE=1
sanitized=$(nm -D "$SOLSTICE_LIBRARY" | grep -c __asan_init)

run_python() {
    if [ "$sanitized" -gt 0 ]; then
        # the interpreter itself keeps memory to its end, and packages of others mix new and free()
        LD_PRELOAD="$(gcc -print-file-name=libasan.so) $(gcc -print-file-name=libubsan.so)" \
            ASAN_OPTIONS=detect_leaks=0:abort_on_error=1:alloc_dealloc_mismatch=0:quarantine_size_mb=8 "$python" "$@"
    else
        "$python" -X faulthandler "$@"
    fi
}
