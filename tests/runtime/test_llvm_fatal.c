/* test_llvm_fatal.c: LLVM meets an error that it calls fatal -> the process lives, the run is
 * right. A program of its own, because LLVM is not used again in a process after that. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "jit/jit_int.h"
#include "runtime/eval/blocks.h"
#include "tests/support/sim_lab.h"

#include <string.h>

#if defined __SANITIZE_ADDRESS__
/* What LLVM held at that moment is lost, and that is meant. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:libLLVM\nleak:libstdc++\nleak:solstice_llvm\n";
}
#endif

static SimLab *open_rectifier(SolEngine engine)
{
    SolOptions options = {
        .stop = 0.1, .steps = 100, .engine = engine, .jit_wait = true, .cache = "off"};
    return sim_lab_open("circuits.sol", "Rectifier", &options);
}

static uint64_t interpreted(void)
{
    SimLab *lab = open_rectifier(SOL_ENGINE_INTERP);
    assert_int_equal(sim_lab_run(lab, 0.1), SOL_OK);
    uint64_t hash = lab->hash;
    sim_lab_close(lab);
    return hash;
}

static SimLab *run_with_llvm(uint32_t fatal_at)
{
    SimLab *lab = open_rectifier(SOL_ENGINE_JIT);
    Jit *jit = engine_jit(lab->sim->sim->engine);
    jit->options.batch = 1; /* functions one by one: those before the error are there */
    jit->options.fatal_at = fatal_at;
    assert_int_equal(sim_lab_run(lab, 0.1), SOL_OK);
    assert_true(lab->hash == interpreted());
    return lab;
}

static void a_fatal_error_in_the_middle(void **state)
{
    (void)state;
    char words[100];
    SimLab *lab = run_with_llvm(0);
    Jit *jit = engine_jit(lab->sim->sim->engine);
    assert_true(jit_stats(jit).functions_compiled > 3);
    assert_int_equal(jit_failure(jit, words, sizeof words), JIT_ACCEPTED);
    assert_false(sim_lab_said(lab, "LLVM"));
    sim_lab_close(lab);

    lab = run_with_llvm(3);
    jit = engine_jit(lab->sim->sim->engine);
    assert_int_equal(jit_stats(jit).functions_compiled, 2);
    assert_true(jit_stats(jit).refused > 0);
    assert_int_equal(jit_failure(jit, words, sizeof words), JIT_LLVM_FATAL);
    assert_non_null(strstr(words, "Cannot select"));
    assert_true(sim_lab_said(lab, "LLVM met a fatal error"));
    sim_lab_close(lab);
}

static void other_simulations_live_without_llvm(void **state)
{
    (void)state;
    char words[100];
    SimLab *lab = run_with_llvm(0);
    Jit *jit = engine_jit(lab->sim->sim->engine);
    assert_int_equal(jit_stats(jit).functions_compiled, 0);
    assert_true(jit_stats(jit).refused > 0);
    for (uint32_t i = 1; i < jit->entries.n; i++)
        if (jit->entries.at[i])
            assert_int_equal(jit_refusal(jit->entries.at[i]), JIT_LLVM_FATAL);
    assert_int_equal(jit_failure(jit, words, sizeof words), JIT_LLVM_FATAL);
    assert_true(sim_lab_said(lab, "LLVM met a fatal error"));
    sim_lab_close(lab);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_fatal_error_in_the_middle),
        cmocka_unit_test(other_simulations_live_without_llvm),
    };
    return cmocka_run_group_tests_name("llvm fatal", tests, NULL, NULL);
}
