#!/bin/bash
# `make install`: the program under both names, library with header and pkg-config file, man page; a
# C client that knows nothing but the installed files.
set -u
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failures=0

fail() {
    echo "FAILED: $*"
    failures=$((failures + 1))
}

cmake --install "$BUILD_DIR" --prefix "$work/usr" >"$work/log" 2>&1 || {
    cat "$work/log"
    exit 1
}
cd "$work" || exit 1
cat >Decay.sol <<'END'
model Decay
implementation:
  static Real x;
  der(x=x, start=1) = -x;
end Decay;
END
usr/bin/solstice --version | grep -q '^solstice [0-9]' || fail "solstice --version"
usr/bin/solstice run Decay.sol --quiet || fail "solstice run"
[ -s Decay.solr ] || fail "no result"
usr/bin/solstice run Decay.sol --quiet --jit wait --cache off --stats stats.json || fail "solstice run --jit wait"
grep -q '"functions_compiled": *[1-9]' stats.json || fail "the program does not find the module that compiles"
usr/bin/solsim Decay.sol -sim 1 0.5 2>/dev/null | tail -1 | grep -qx '1,0.25' || fail "solsim"
[ -s usr/share/man/man1/solstice.1 ] || fail "man page"

# What single commands need is loaded by them alone, and they say what is missing.
needed=$(readelf -d usr/bin/solstice | grep -E 'NEEDED.*(LLVM|cairo|edit|stdc)')
[ -z "$needed" ] || fail "every start loads $needed"
usr/bin/solstice plot Decay.solr --output picture.svg x || fail "solstice plot"
grep -q '<svg' picture.svg || fail "no picture"
# A terminal: Tab makes a command of "hel".
printf 'hel\tstop\nquit\n' | script -qec 'usr/bin/solstice live Decay.sol --cache off' /dev/null >terminal 2>&1
grep -q 'all of them together' terminal || { cat terminal; fail "no completion in a terminal"; }
libraries=$(dirname "$(find usr -name solstice_edit.so)")
rm "$libraries/solstice_edit.so" && : >"$libraries/solstice_cairo.so"
printf 'quit\n' | script -qec 'usr/bin/solstice live Decay.sol --cache off' /dev/null >terminal 2>&1 ||
    fail "live without its module"
grep -q 'lines cannot be edited here: the file solstice_edit.so is not there' terminal || { cat terminal; fail "no warning"; }
usr/bin/solstice plot Decay.solr --output other.svg x 2>message
[ $? -eq 4 ] || fail "exit code without cairo"
grep -q 'no picture can be drawn: .*solstice_cairo.so' message || { cat message; fail "no message"; }

cat >client.c <<'END'
#include <math.h>
#include <solstice.h>
int main(void)
{
    double x = 0;
    SolStats stats = {0};
    SolModel *model = sol_load(&(SolLoad){.path = "Decay.sol"});
    Sol *sim = sol_create(model, NULL, &(SolOptions){.stop = 2, .jit_wait = true, .cache = "off"});
    SolStatus status = sim ? sol_run_to(sim, 2) : SOL_MODEL;
    if (status == SOL_OK)
        status = sol_read(sim, sol_find(sim, "x"), &x);
    if (sim)
        sol_stats(sim, &stats);
    sol_print_messages(model, 0, stderr, false);
    sol_close(sim);
    sol_unload(model);
    return status != SOL_OK || !(fabs(x - exp(-2)) < 1e-5) || stats.functions_compiled == 0;
}
END
PKG_CONFIG_PATH=$(dirname "$(find "$work/usr" -name solstice.pc)") # CMAKE_INSTALL_LIBDIR may be lib, lib64, ...
export PKG_CONFIG_PATH
libdir=$(pkg-config --variable=libdir solstice) || fail "pkg-config"
# a library with sanitizers wants a client with sanitizers
sanitize=()
grep -q __asan_init "$libdir/libsolstice.so" && sanitize=(-fsanitize=address,undefined)
# shellcheck disable=SC2046
gcc -Wall -Wextra -Werror "${sanitize[@]}" client.c $(pkg-config --cflags --libs solstice) -lm -o client ||
    fail "the client does not build"
LD_LIBRARY_PATH=$libdir ./client || fail "the client does not run"
shown=$(nm -D --defined-only "$libdir/libsolstice.so" | awk '{ print $3 }' | grep -v '^sol_')
[ -z "$shown" ] || fail "the library shows more than its header: $shown"

# The Python package, from its place and with no other path; an interpreter without NumPy says what is missing.
package=$(dirname "$(dirname "$(find "$work/usr" -name _place.py)")")
library=$(realpath -m "$package/solstice/$(sed -n 's/^LIBRARY = "\(.*\)"/\1/p' "$package/solstice/_place.py")")
[ -e "$library" ] || fail "the Python package does not find the library: $library"
cmp -s "$package/solstice/solstice.h" "$(find "$work/usr" -path '*include*' -name solstice.h)" || fail "no header in the package"

exit $((failures > 0))
