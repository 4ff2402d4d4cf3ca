/* test_live_fault.c: memory that runs out at every possible moment of an edit -> the verdict "no memory", and a model
 * that is unharmed: the same bytes as before, and the same edit is accepted when there is memory again. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/support/saved_bytes.h"
#include "runtime/sim_int.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char text[] =
    "connector Pin interface: static potential Real u; static flow Real i; end Pin;\n"
    "model R interface: static Pin p; static Pin n; parameter Real R << 1;\n"
    "implementation: p.u - n.u = R*p.i; p.i + n.i = 0; end R;\n"
    "model G interface: static Pin p; implementation: p.u = 0; end G;\n"
    "model Lab implementation: static R r{R << 3}; static G g; static Real x; static Real y;\n"
    "  r.p.u = x; connection{a << r.n, b << g.p};\n"
    "  der(x = x, start << 1) = -x + floor(3*time); y = r.p.i;\n"
    "end Lab;\n";

static const SolEdit edits[] = {
    {.kind = SOL_ADD, .text = "Real z; z + z*z*z = y; when z > 0.2 then cout << z; end"},
    {.kind = SOL_ADD, .text = "R q{R << 2}; q.p.u = 2*x; connection{a << q.n, b << g.p}"},
    {.kind = SOL_REPLACE, .what = "r", .text = "R{R << 4}"},
    {.kind = SOL_REMOVE, .what = "y"},
    {.kind = SOL_ASSIGN, .what = "x", .text = "2"},
    {.kind = SOL_ADD, .text = "y = 3"},
};
enum { EDITS = sizeof edits / sizeof *edits };

static Bytes save(Sol *sim)
{
    Bytes b = {0};
    assert_int_equal(sol_save(sim, put, &b), SOL_OK);
    return b;
}

/* Allocation number n of the edit fails; false: it has fewer. */
static bool fail_at(Sol *sim, SolModel *model, const SolEdit *edit, uint64_t n, SolVerdict wanted)
{
    SolEdited edited;
    Bytes before = save(sim);
    mem_fail_at(model->mem, n);
    SolStatus status = sol_edit(sim, 1, edit, &edited);
    mem_fail_at(model->mem, 0);
    assert_int_equal(status, SOL_OK);
    bool failed = edited.verdict == SOL_REFUSED && edited.reason == SOL_MEMORY;
    if (!failed) { /* where a message finds no room, or nothing failed */
        assert_int_equal(edited.verdict, wanted);
        if (edited.verdict != SOL_REFUSED)
            assert_int_equal(sol_undo(sim, &edited), SOL_OK);
    }
    Bytes after = save(sim);
    assert_int_equal(before.n, after.n);
    assert_memory_equal(before.at, after.at, before.n);
    free(before.at);
    free(after.at);
    return failed;
}

static void every_allocation(void **state)
{
    (void)state;
    const char *every = getenv("FAULT_EVERY");
    uint64_t step = every ? strtoull(every, NULL, 10) : 7;
    for (int i = 0; i < EDITS; i++) {
        SolModel *model = sol_load(&(SolLoad){.path = "lab", .text = text, .length = strlen(text)});
        Sol *sim = sol_create(
            model, NULL, &(SolOptions){.stop = 1, .editable = true, .engine = SOL_ENGINE_INTERP});
        assert_int_equal(sol_run_to(sim, 0.4), SOL_OK);
        SolEdited edited;
        sol_edit(sim, 1, &edits[i], &edited); /* its names are known from now on */
        SolVerdict wanted = edited.verdict;
        if (wanted != SOL_REFUSED)
            sol_undo(sim, &edited);
        uint32_t failures = 0;
        for (uint64_t n = 1; n < 4000; n += step)
            failures += fail_at(sim, model, &edits[i], n, wanted);
        assert_true(failures > 0);
        assert_int_equal(sol_run_to(sim, 0.8), SOL_OK);
        sol_close(sim);
        sol_unload(model);
    }
}

/* Writing fails as a checkpoint does: with its status, and what is left can be closed. */
static void every_allocation_of_writing(void **state)
{
    (void)state;
    uint32_t failures = 0, written = 0;
    for (uint64_t n = 1; n < 3000; n += 41) {
        SolModel *model = sol_load(&(SolLoad){.path = "lab", .text = text, .length = strlen(text)});
        Sol *sim = sol_create(
            model, NULL, &(SolOptions){.stop = 1, .editable = true, .engine = SOL_ENGINE_INTERP});
        SolEdited edited;
        Bytes out = {0}, saved = {0};
        assert_int_equal(sol_run_to(sim, 0.1), SOL_OK);
        assert_int_equal(sol_edit(sim, 1, &edits[1], &edited), SOL_OK);
        assert_int_equal(edited.verdict, SOL_ACCEPTED);
        mem_fail_at(model->mem, n);
        SolStatus status = sol_write_model(sim, &(SolWriting){put, &out, put, &saved});
        mem_fail_at(model->mem, 0);
        assert_true(status == SOL_OK || status == SOL_MEMORY);
        failures += status == SOL_MEMORY;
        written += status == SOL_OK;
        if (status == SOL_OK)
            assert_int_equal(sol_run_to(sim, 0.8), SOL_OK);
        sol_unload(model);
        free(out.at);
        free(saved.at);
    }
    assert_true(failures > 0 && written > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_allocation),
                                       cmocka_unit_test(every_allocation_of_writing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
