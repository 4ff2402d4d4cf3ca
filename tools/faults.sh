#!/usr/bin/env bash
# faults.sh: deliberate faults, one at a time, in a copy of the sources -> which test finds each.
#
#     tools/faults.sh [NAME...]       all faults, or those named; --list: their names
#
# What must find them are the tests that share no code with what is broken, or that run with the audit:
# those in TESTS, as `make test` runs them. Each fault names those that should find it; they are built and run first,
# one by one, and the others only where they find nothing. A fault that none of them finds is a gap, and the exit
# status 1. A fault that cannot be put in because the sources have changed is an error: mend its text here. A test
# that takes ten times as long as without the fault (a minute at least) has found it. The copy is in build/faults
# and is kept, so that a second run compiles little. FAULTS_ALL=1 runs all tests of each fault.
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD copy=$PWD/build/faults jobs=${FAULTS_JOBS:-2}

TESTS=(test_made_up test_circuit_truth test_train_truth test_mechanics test_births test_circuits
       test_parts test_linear test_loops test_changing test_location test_newton test_impulses test_rod)

# fault NAME "TESTS THAT SHOULD FIND IT" FILE OLD NEW: OLD stands in FILE exactly once.
names=() firsts=() files=() olds=() news=()
fault() { names+=("$1"); firsts+=("$2"); files+=("$3"); olds+=("$4"); news+=("$5"); }

fault derivative-sign "test_mechanics test_made_up" ddp/functions.h \
'    LIBM(COS,   cos,   REAL,                        NEG(MUL(F(SIN, a), d)))' \
'    LIBM(COS,   cos,   REAL,                        MUL(F(SIN, a), d))'

fault derivative-product "test_made_up test_mechanics" ddp/differentiate.c \
'    return sum(p, X_ADD, times(p, b, d), times(p, a, e));' \
'    return sum(p, X_SUB, times(p, b, d), times(p, a, e));'

# Factors exchange whole rows; solutions exchanged between the eliminations.
fault row-exchange "test_linear test_loops test_circuit_truth" numerics/dense_lu.c \
'    exchange(n, pivot, b);
    for (uint32_t r = 1; r < n; r++) {
        double sum = b[r];
        for (uint32_t c = 0; c < r; c++)
            sum -= a[(size_t)r * n + c] * b[c];
        b[r] = sum;
    }
    for (uint32_t r = n; r-- > 0;) {' \
'    for (uint32_t k = 0; k < n; k++) {
        swap(&b[k], &b[pivot[k]]);
        for (uint32_t r = k + 1; r < n; r++)
            b[r] -= a[(size_t)r * n + k] * b[k];
    }
    for (uint32_t r = n; r-- > 0;) {'

# Of two readers or more, one hears nothing of a change.
fault node-left-out "test_circuit_truth test_train_truth" runtime/event/evaluate_change.c \
'        EvalNode *node = &sim->nodes.at[edge->node];
        evaluate_touch_node(sim, edge->node);
        if (!node->part' \
'        EvalNode *node = &sim->nodes.at[edge->node];
        if (!edge->next && edge != sim->info[var].readers)
            continue;
        evaluate_touch_node(sim, edge->node);
        if (!node->part'

fault output-not-fetched "test_circuit_truth test_births" runtime/event/update.c \
'    fetch_marked(sim, from);
}' \
'    (void)from;
    (void)fetch_marked;
}'

fault stale-slot "test_parts test_changing" runtime/eval/tape.c \
'        const uint32_t *end = from + unit->n, *fours = from + (unit->n & ~3u);' \
'        const uint32_t n = unit->n - (unit->n > 1), *end = from + n, *fours = from + (n & ~3u);'

fault stale-state "test_parts test_changing" runtime/eval/tape.c \
'    else
        for (uint32_t i = 0; i < run->n; i++)
            to[i] = from[i];' \
'    else
        for (uint32_t i = 0; i + (run->n > 1) < run->n; i++)
            to[i] = from[i];'

fault colour-swapped "test_newton" runtime/solve/jacobian.c \
'    const uint32_t *end = j->p.by_colour.at + j->p.colour_from.at[k + 1];
    uint64_t bit = (uint64_t)1 << k % 64;' \
'    const uint32_t *end = j->p.by_colour.at + j->p.colour_from.at[k + 1];
    const uint32_t *own = first, *own_end = end;
    if (k < 2 && j->p.n_colours > 1) {
        first = j->p.by_colour.at + j->p.colour_from.at[1 - k];
        end = j->p.by_colour.at + j->p.colour_from.at[2 - k];
    }
    uint64_t bit = (uint64_t)1 << k % 64;'
# second half of the same fault: what is found is stored in the columns of the other colour
colour_old='    for (const uint32_t *c = first; c < end; c++)
        store_column(j, *c, cj);'
colour_new='    for (const uint32_t *c = own; c < own_end; c++)
        store_column(j, *c, cj);'

fault event-wrong-side "test_location test_circuit_truth" runtime/event/event_detect.c \
'    *time = hi;
    sim->search.left = lo;' \
'    *time = lo;
    sim->search.left = lo;'

fault event-late "test_location test_mechanics" runtime/event/event_detect.c \
'    double before = INFINITY, push = 0, whole = hi - lo;' \
'    double before = INFINITY, push = 0, whole = 1e12 * (hi - lo);'

fault old-value-ida "test_mechanics test_train_truth" runtime/solve/ida_driver.c \
'    get_unknowns(part, driver);
    return IDAReInit(' \
'    if (driver->n != part->n)
        get_unknowns(part, driver);
    return IDAReInit('

fault old-value-rk "test_mechanics test_train_truth" runtime/solve/rk.c \
'        rk->y[i] = rk->old[i] = sim->value[part->states.at[i].var];' \
'        rk->y[i] = rk->length > 0 ? rk->y[i] : (rk->old[i] = sim->value[part->states.at[i].var]);'

# Nothing that the clock drives is a surprise: looks lie farther and farther apart.
fault looks-too-rare "test_location test_circuit_truth" runtime/eval/looks.c \
'    return before > 0 && isfinite(surprise) ? surprise : 0;' \
'    return before > 0 && isfinite(surprise) ? 0 * surprise : 0;'

# A batch writes its slopes one state too far.
fault slopes-displaced "test_rod" runtime/eval/tape_direct.c \
'        unit->ahead = (ptrdiff_t)unit->slots[s] - (ptrdiff_t)state;' \
'        bool beyond = state + unit->n < tape->part->states.n;
        unit->ahead = (ptrdiff_t)unit->slots[s] - (ptrdiff_t)(state + beyond);'

# What is balanced over a jump is weighed as it was before the jump.
fault impulse-old-factor "test_impulses test_mechanics" runtime/event/impulse.c \
'    return sum;
}

static double jumped(' \
'    return sum < begin || sum > begin ? begin : sum;
}

static double jumped('

# What all look at misses the last of a run.
fault spread-incomplete "test_changing test_births" runtime/eval/tape_spread.c \
'    while (n-- > 0)
        rest += value[*var++] = *from++;' \
'    while (n-- > 1)
        rest += value[*var++] = *from++;'

# Who looks at all gets an old state.
fault look-at-old-state "test_changing test_births" runtime/eval/tape_spread.c \
'    for (; at < end; at++)
        to[at->place] = value[at->var];' \
'    for (; at + 1 < end; at++)
        to[at->place] = value[at->var];'

# put FILE OLD NEW: in the copy; fails where OLD does not stand there exactly once.
put() {
    OLD=$2 NEW=$3 python3 - "$copy/src/$1" <<'PYTHON'
import os
import sys
old, new = os.environ["OLD"], os.environ["NEW"]
with open(sys.argv[1], encoding="utf-8") as file:
    text = file.read()
if text.count(old) != 1:
    sys.exit(f"faults.sh: the fault stands {text.count(old)} times in {sys.argv[1]}, not once:\n{old}")
with open(sys.argv[1], "w", encoding="utf-8") as file:
    file.write(text.replace(old, new))
PYTHON
}

# build TEST: says why not, and ends the script where the fault does not compile.
build() {
    nice cmake --build "$copy/build" -j"$jobs" --target "$1" > "$copy/build.log" 2>&1 ||
        { echo "faults.sh: $2 does not build, see $copy/build.log" >&2; exit 2; }
}

prepare() {
    mkdir -p "$copy/src/build" "$copy/build"
    # what did not change keeps its time, and what a fault left behind is put back
    (cd "$root" && find . build/page \( -path ./build -o -path ./.git \) -prune -o -type f -print) |
        while IFS= read -r file; do
            cmp -s "$root/$file" "$copy/src/$file" || install -D -m 755 "$root/$file" "$copy/src/$file"
        done
    command -v ccache > /dev/null && export CMAKE_C_COMPILER_LAUNCHER=ccache CMAKE_CXX_COMPILER_LAUNCHER=ccache
    cmake -S "$copy/src" -B "$copy/build" -G Ninja -DCMAKE_BUILD_TYPE=Release > "$copy/configure.log" 2>&1 ||
        { echo "faults.sh: the copy cannot be configured, see $copy/configure.log" >&2; exit 2; }
}

# run TEST SECONDS: 0 where it passes, 124 where it does not end
run() { timeout "$2" "$copy/build/$1" > "$copy/$1.log" 2>&1; }

# How long each test takes without a fault, in seconds: it must pass. Measured when it is first needed, while no fault
# is in the sources.
declare -A sound
measure() {
    local test begin=$SECONDS
    for test in $1; do
        [ -z "${sound[$test]:-}" ] || continue
        build "$test" "the copy"
        begin=$SECONDS
        run "$test" 1800 || { echo "faults.sh: without a fault already failing: $test" >&2; exit 2; }
        sound[$test]=$((SECONDS - begin))
    done
}

# look FAULT "TESTS": prints those that fail.
look() {
    local test limit code finders=()
    for test in $2; do
        build "$test" "$1"
        limit=$((10 * ${sound[$test]}))
        code=0
        run "$test" $((limit > 60 ? limit : 60)) || code=$?
        [ $code != 0 ] || continue
        [ $code != 124 ] || test="$test (does not end)"
        finders+=("$test")
        [ -n "${FAULTS_ALL:-}" ] || break
    done
    echo "${finders[*]:-}"
}

put_in() { # index of the fault
    cp -p "$copy/src/${files[$1]}" "$copy/sound"
    put "${files[$1]}" "${olds[$1]}" "${news[$1]}"
    [ "${names[$1]}" != colour-swapped ] || put "${files[$1]}" "$colour_old" "$colour_new"
}

# others "TESTS": those of TESTS that are not among them
others() {
    local test
    for test in "${TESTS[@]}"; do
        case " $1 " in *" $test "*) ;; *) echo "$test" ;; esac
    done
}

# try INDEX "TESTS": the tests that find the fault
try() {
    measure "$2"
    put_in "$1"
    found=$(look "${names[$1]}" "$2")
    cp "$copy/sound" "$copy/src/${files[$1]}" # as new, so that it is compiled again
}

if [ "${1:-}" = --list ]; then
    printf '%s\n' "${names[@]}"
    exit
fi
for name in "$@"; do
    case " ${names[*]} " in *" $name "*) ;; *) echo "faults.sh: no fault is called $name" >&2; exit 2 ;; esac
done
prepare
missed=0
printf '%-20s %s\n' fault "found by"
for i in "${!names[@]}"; do
    if [ $# -gt 0 ]; then
        case " $* " in *" ${names[i]} "*) ;; *) continue ;; esac
    fi
    try "$i" "${firsts[i]}"
    if [ -z "$found" ] || [ -n "${FAULTS_ALL:-}" ]; then
        first=$found
        try "$i" "$(others "${firsts[i]}" | tr '\n' ' ')"
        found="$first $found"
    fi
    [ -n "${found// /}" ] || missed=$((missed + 1))
    [ -n "${found// /}" ] || found=NOTHING
    printf '%-20s %s\n' "${names[i]}" "$found"
done
[ "$missed" = 0 ] || { echo "$missed faults were not found" >&2; exit 1; }
