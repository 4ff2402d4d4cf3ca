/* test_engine_threads.c: structure that changes while code for it is compiled -> the interpreter's
 * results, bounded memory. Runs under the thread sanitizer too (tools/test.sh). */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "jit/jit_int.h"
#include "runtime/eval/tape_int.h" /* the memory of shapes */
#include "tests/support/slow.h"
#include "tests/support/sim_lab.h"

#include <malloc.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__ || defined SOLSTICE_VERIFY
enum { SWITCHES = 2000, FLIPS = 20000, COMBINATIONS = 2000 };
#else
enum { SWITCHES = 10000, FLIPS = 1000000, COMBINATIONS = 30000 };
#endif

/* A counter whose 16 digits choose what is known: the first or the second of two that have a sum.
 * All sums are in one block, so there are 2^16 different ones. */
#define TWO(i) "  static Real a" i "; static Real b" i "; a" i " + b" i " = sin(x = x*1" i ");\n"
#define DIGIT(i, divisor)                                                                          \
    "  if mod(a = floor(x = n/" divisor "), b = 2) == 1 then a" i " = 0; else then b" i            \
    " = 1; end;\n"
#define TERM(i) " + a" i " - 2*b" i
/* clang-format off */
#define ALL(M)                                                                                     \
    M("0") M("1") M("2") M("3") M("4") M("5") M("6") M("7")                                        \
    M("8") M("9") M("10") M("11") M("12") M("13") M("14") M("15")

static const char counter[] =
    "model Counter\n"
    "implementation:\n"
    "  static Integer n; static Real x; static Real y;\n"
    "  when Sample(interval = 0.001) then n << pre(x = n) + 1; end;\n"
    ALL(TWO)
    DIGIT("0", "1") DIGIT("1", "2") DIGIT("2", "4") DIGIT("3", "8")
    DIGIT("4", "16") DIGIT("5", "32") DIGIT("6", "64") DIGIT("7", "128")
    DIGIT("8", "256") DIGIT("9", "512") DIGIT("10", "1024") DIGIT("11", "2048")
    DIGIT("12", "4096") DIGIT("13", "8192") DIGIT("14", "16384") DIGIT("15", "32768")
    "  y = x" ALL(TERM) ";\n"
    "  der(x = x, start << 1) = -0.01*y;\n"
    "end Counter;\n";
/* clang-format on */

static SimLab *open_counter(SolEngine engine, uint32_t switches)
{
    SolOptions options = {.stop = switches * 0.001,
                          .steps = 50,
                          .solver = SOL_SOLVER_RK,
                          .engine = engine,
                          .cache = "off"};
    return sim_lab_text(counter, &options);
}

/* Compiling begins at once, not when something has become warm. */
static Jit *eager(SimLab *lab)
{
    Jit *jit = engine_jit(lab->sim->sim->engine);
    jit->options.warm = 0;
    jit->options.patience = 0;
    return jit;
}

static uint64_t interpreted(uint32_t switches)
{
    SimLab *lab = open_counter(SOL_ENGINE_INTERP, switches);
    assert_int_equal(sim_lab_run(lab, switches * 0.001), SOL_OK);
    uint64_t hash = lab->hash;
    sim_lab_close(lab);
    return hash;
}

/* Blocks come faster than they can be compiled: most are gone before their turn comes, or while it
 * is their turn. Some code is there in time. */
static void blocks_that_go_while_they_are_compiled(void **state)
{
    (void)state;
    SimLab *lab = open_counter(SOL_ENGINE_JIT, SWITCHES);
    Jit *jit = eager(lab);
    assert_int_equal(sim_lab_run(lab, SWITCHES * 0.001), SOL_OK);
    JitStats stats = jit_stats(jit);
    assert_true(lab->n_events >= SWITCHES - 1);
    assert_true(stats.functions_compiled > 10);
    print_message("%llu switches, %llu functions compiled, %llu of %llu shapes never\n",
                  (unsigned long long)lab->n_events, (unsigned long long)stats.functions_compiled,
                  (unsigned long long)(stats.shapes + stats.evicted - stats.functions_compiled),
                  (unsigned long long)(stats.shapes + stats.evicted));
    assert_true(lab->hash == interpreted(SWITCHES));
    sim_lab_close(lab);
}

/* The same with a code service that has hardly any memory: entries go at every turn. */
static void code_that_goes_as_soon_as_it_is_unused(void **state)
{
    (void)state;
    SimLab *lab = open_counter(SOL_ENGINE_JIT, SWITCHES / 4);
    Jit *jit = eager(lab);
    jit->options.memory = 4096;
    assert_int_equal(sim_lab_run(lab, SWITCHES / 4 * 0.001), SOL_OK);
    JitStats stats = jit_stats(jit);
    assert_true(stats.evicted > SWITCHES / 8);
    assert_true(stats.code_bytes + stats.entry_bytes < 1 << 20);
    assert_true(lab->hash == interpreted(SWITCHES / 4));
    sim_lab_close(lab);
}

static void llvm_refuses_every_third_block(void **state)
{
    (void)state;
    for (int wait = 0; wait < 2; wait++) {
        SimLab *lab = open_counter(SOL_ENGINE_JIT, 200);
        Jit *jit = eager(lab);
        jit->options.refuse_every = 3;
        lab->sim->sim->engine->wait = wait;
        assert_int_equal(sim_lab_run(lab, 0.2), SOL_OK);
        jit_wait(jit);
        JitStats stats = jit_stats(jit);
        assert_true(stats.functions_compiled > 0);
        /* without waiting it depends on the machine how many blocks are still there when their turn comes */
        assert_true(wait == 0 || stats.refused >= 200 / 4);
        assert_true(lab->hash == interpreted(200));
        sim_lab_close(lab);
    }
}

static void without_llvm_everything_is_interpreted(void **state)
{
    (void)state;
    SimLab *lab = open_counter(SOL_ENGINE_JIT, 200);
    Jit *jit = eager(lab);
    char missing[] = "/nowhere/solstice_llvm.so";
    char *module = jit->module;
    jit->module = missing;
    assert_int_equal(sim_lab_run(lab, 0.2), SOL_OK);
    jit_wait(jit);
    assert_int_equal(jit_stats(jit).functions_compiled, 0);
    assert_true(jit_stats(jit).refused > 0);
    engine_check(lab->sim->sim->engine); /* the run may have ended before it was known */
    assert_true(sim_lab_said(lab, "solstice_llvm.so cannot be loaded")); /* and why */
    assert_true(lab->hash == interpreted(200));
    jit->module = module;
    sim_lab_close(lab);
}

/* ---- memory ---- */

static size_t resident(void)
{
    size_t pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    assert_non_null(file);
    assert_int_equal(fscanf(file, "%*u %zu", &pages), 1);
    fclose(file);
    return pages * (size_t)sysconf(_SC_PAGESIZE);
}

static uint32_t count_mappings(void)
{
    uint32_t n = 0;
    FILE *file = fopen("/proc/self/maps", "r");
    assert_non_null(file);
    for (int c; (c = fgetc(file)) != EOF;)
        n += c == '\n';
    fclose(file);
    return n;
}

static const char flip[] =
    "model Flip\n"
    "implementation:\n"
    "  static Real x; static Boolean up;\n"
    "  if initial() then up << true; end;\n"
    "  if up then der(x = x) = 1.2 - 0.1*x; else then der(x = x) = -1.2 - 0.1*x; end;\n"
    "  when x > 1 then up << false; end;\n"
    "  when x < 0 then up << true; end;\n"
    "end Flip;\n";

typedef struct Memory {
    size_t resident, session;
    uint32_t mappings;
    JitStats jit;
    ShapeTotals shapes;
} Memory;

static Memory memory_of(SimLab *lab)
{
    Engine *engine = lab->sim->sim->engine;
    return (Memory){resident(), mem_used(lab->sim->sim->mem), count_mappings(),
                    jit_stats(engine->jit), shape_totals(engine->shapes)};
}

/* Back and forth: after the first per cent nothing grows. */
static void a_million_mode_switches(void **state)
{
    (void)state;
    SolOptions options = {
        .stop = FLIPS + 1, .steps = 10, .max_step = 10, .solver = SOL_SOLVER_RK, .cache = "off"};
    SimLab *lab = sim_lab_text(flip, &options);
    /* where there are few, all code is optimised only later */
    assert_int_equal(sim_lab_run(lab, FLIPS / (SLOW_BUILD ? 2 : 100)), SOL_OK);
    jit_wait(lab->sim->sim->engine->jit);
    Memory early = memory_of(lab);
    assert_true(early.jit.functions_compiled > 0);
    assert_int_equal(sim_lab_run(lab, FLIPS + 0.5), SOL_OK);
    Memory late = memory_of(lab);
    assert_true(lab->n_events >= FLIPS - 1);
    print_message("%u switches: code %zu -> %zu bytes, shapes %zu -> %zu, session %zu -> %zu, "
                  "resident %zu -> %zu kB, mappings %u -> %u\n",
                  lab->n_events, (size_t)early.jit.code_bytes, (size_t)late.jit.code_bytes,
                  early.shapes.bytes, late.shapes.bytes, early.session, late.session,
                  early.resident / 1024, late.resident / 1024, early.mappings, late.mappings);
    assert_int_equal(late.jit.code_bytes, early.jit.code_bytes);
    assert_int_equal(late.jit.entry_bytes, early.jit.entry_bytes);
    assert_int_equal(late.shapes.bytes, early.shapes.bytes);
    assert_true(late.session < early.session + 65536);
    assert_int_equal(late.jit.mappings, early.jit.mappings);
    assert_true(SLOW_BUILD || late.mappings <= early.mappings + 8); /* malloc's arenas */
    if (!SLOW_BUILD) /* sanitizers keep what was freed for a while */
        assert_true(late.resident < early.resident + (16 << 20));
    sim_lab_close(lab);
}

/* Ever new combinations of modes: what is remembered of them has a bound. */
static void ever_new_combinations(void **state)
{
    (void)state;
    SimLab *lab = open_counter(SOL_ENGINE_JIT, COMBINATIONS);
    Engine *engine = lab->sim->sim->engine;
    shapes_limit(engine->shapes, 1 << 20);
    engine->jit->options.memory = 1 << 20;
    assert_int_equal(sim_lab_run(lab, COMBINATIONS / 4 * 0.001), SOL_OK);
    Memory early = memory_of(lab);
    assert_int_equal(sim_lab_run(lab, COMBINATIONS * 0.001), SOL_OK);
    Memory late = memory_of(lab);
    print_message("%llu shapes made; shapes %zu -> %zu bytes, session %zu -> %zu\n",
                  (unsigned long long)late.shapes.made, early.shapes.bytes, late.shapes.bytes,
                  early.session, late.session);
    assert_true(late.shapes.made >= COMBINATIONS - 2);
    assert_true(late.shapes.bytes < 3 << 20);
    assert_true(late.session < early.session + (1 << 20));
    assert_true(late.jit.code_bytes + late.jit.entry_bytes < 2 << 20);
    sim_lab_close(lab);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_that_go_while_they_are_compiled),
        cmocka_unit_test(code_that_goes_as_soon_as_it_is_unused),
        cmocka_unit_test(llvm_refuses_every_third_block),
        cmocka_unit_test(without_llvm_everything_is_interpreted),
        cmocka_unit_test(a_million_mode_switches),
        cmocka_unit_test(ever_new_combinations),
    };
    return cmocka_run_group_tests_name("engine threads", tests, NULL, NULL);
}
