/* test_tape_memory.c: what a part or a loop had in a mode that returns is put back: the same bytes as if it were made,
 * whatever is kept. Builds with verifiers compare each one that is put back with one that is made (B5, B6). */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "runtime/eval/loop_whole.h"
#include "runtime/eval/tape_int.h"
#include "tests/support/sim_lab.h"

#include <stdio.h>
#include <stdlib.h>

/* n rectifiers with other capacitors each, nothing in common: n small automata. */
static char *rectifiers(int n)
{
    char *text = NULL;
    size_t size;
    FILE *f = open_memstream(&text, &size);
    fprintf(f, "model Coil\ninterface:\n  static Real u; static Real i; static Real v;\n"
               "implementation:\n  u = 0.2*der(x = i, start << 0) + v;\n  v = 0.1*i;\nend Coil;\n"
               "model Store\ninterface:\n  parameter Real C; static Real u; static Real i;\n"
               "  static Real load;\nimplementation:\n  load = u/50;\n"
               "  i = C*der(x = u, start << 0) + load;\nend Store;\n"
               "model One\ninterface:\n  parameter Real C;\nimplementation:\n"
               "  static Real u0; static Real uD; static Real i; static Boolean on;\n"
               "  static Coil L; static Store S{C << C};\n"
               "  u0 = 10*sin(x = 314*time);\n  u0 = L.u + uD + S.u;\n  L.i = i;\n  S.i = i;\n"
               "  if on then uD = 0; else then i = 0; end if;\n"
               "  when i < 0 then on << false; else when uD > 0 then on << true; end when;\n"
               "end One;\nmodel All\nimplementation:\n");
    for (int k = 0; k < n; k++)
        fprintf(f, "  static One r%d{C << %g};\n", k, 0.001 * (1 + k / (double)n));
    fprintf(f, "end All;\n");
    fclose(f);
    return text;
}

enum { PIECES = 8 };

typedef struct Seen {
    uint64_t hash;
    SolStats stats;
    uint32_t events, returned; /* events, and what they put back */
    uint32_t kept_most;
} Seen;

/* limit 0: as it is. The run is cut into pieces, behind each of which the limit is set anew. */
static Seen run(const char *text, SolOptions options, const uint32_t *limit)
{
    SimLab *lab = sim_lab_text(text, &options);
    Seen seen = {0};
    for (int i = 1; i <= PIECES; i++) {
        if (limit)
            tape_memory_limit(lab->sim->sim->engine, limit[i - 1]);
        assert_int_equal(sim_lab_run(lab, options.stop * i / PIECES), SOL_OK);
        uint32_t kept = lab->sim->sim->engine->memory.n;
        seen.kept_most = kept > seen.kept_most ? kept : seen.kept_most;
    }
    sol_stats(lab->sim, &seen.stats);
    seen.hash = lab->hash;
    seen.events = lab->n_events;
    for (uint32_t i = 0; i < lab->n_events; i++)
        seen.returned += lab->event[i].modes_returned;
    sim_lab_close(lab);
    return seen;
}

static const SolSolver solvers[] = {SOL_SOLVER_RK, SOL_SOLVER_IDA, SOL_SOLVER_RODAS,
                                    SOL_SOLVER_AUTO};
enum { SOLVERS = sizeof solvers / sizeof *solvers };

/* All but the first events lead into a mode that was seen before. Where the diode blocks a part is too small for a tape. */
static void modes_return(void **state)
{
    (void)state;
    char *text = rectifiers(3);
    for (int s = 0; s < SOLVERS; s++) {
        SolOptions options = {
            .stop = 0.4, .steps = 40, .jit_wait = true, .cache = "off", .solver = solvers[s]};
        Seen kept = run(text, options, NULL);
        options.forget_modes = true;
        Seen made = run(text, options, NULL);
        assert_true(kept.hash == made.hash);
        assert_true(kept.events >= 100 && kept.events == made.events);
        assert_true(2 * kept.stats.modes_returned + 24 >= kept.events);
        assert_int_equal(kept.stats.modes_returned, kept.returned);
        assert_in_range(kept.stats.modes_remembered, 1, 9);
        assert_int_equal(made.stats.modes_returned + made.stats.modes_remembered, 0);
    }
    free(text);
}

/* What is not there any more is made again; the bound holds at every moment. */
static void memory_is_bounded(void **state)
{
    (void)state;
    static const uint32_t limits[][PIECES] = {
        {1, 1, 1, 1, 1, 1, 1, 1}, {2, 5, 1, 9, 1, 1, 3, 100}, {100, 100, 1, 100, 1, 100, 1, 100}};
    char *text = rectifiers(3);
    SolOptions options = {
        .stop = 0.4, .steps = 40, .jit_wait = true, .cache = "off", .solver = SOL_SOLVER_RK};
    Seen all = run(text, options, NULL);
    for (int i = 0; i < 3; i++) {
        Seen some = run(text, options, limits[i]);
        assert_true(some.hash == all.hash);
        assert_true(some.stats.modes_returned < all.stats.modes_returned);
        assert_true(i > 0 || some.kept_most <= 1);
    }
    free(text);
}

/* A long stay in a mode that returned: its code with constant places needs the tape made anew. */
static void long_stay_has_fixed_code(void **state)
{
    (void)state;
    char *text = rectifiers(1);
    SolOptions options = {
        .stop = 0.4, .steps = 40, .jit_wait = true, .cache = "off", .solver = SOL_SOLVER_RK};
    uint64_t hash[2];
    for (int i = 0; i < 2; i++) {
        SimLab *lab = sim_lab_text(text, &options);
        Engine *engine = lab->sim->sim->engine;
        if (i == 1) {
            engine->fixed_after = 20; /* of some 40 evaluations in each mode */
            engine->fixed_quick = true;
        }
        assert_int_equal(sim_lab_run(lab, options.stop), SOL_OK);
        assert_true((engine->fixed_calls > 0) == (i == 1));
        assert_true(engine->memory.returned > 10);
        hash[i] = lab->hash;
        sim_lab_close(lab);
    }
    assert_true(hash[0] == hash[1]);
    free(text);
}

/* ---- loops ---- */

/* A converter with resistive switches: a loop of four that is other with each switch. `wears`: its resistances grow with
 * each period, so that the loops return with other factors. */
static char *converters(bool wears)
{
    char *text = NULL;
    size_t size;
    FILE *f = open_memstream(&text, &size);
    fprintf(f,
            "model One\ninterface:\n  parameter Real phase;\nimplementation:\n"
            "  static Boolean on; static Boolean carries; static Real R;\n"
            "  static Real u; static Real i; static Real uS; static Real uD; static Real iD;\n"
            "  static Real drawn;\n"
            "  on << mod(10000*time + phase, 1) < 0.5;\n"
            "  i = 1e-4*der(x = u, start << 0) + u/10;\n"
            "  -uD = 1e-4*der(x = i, start << 0) + u;\n"
            "  uS = 24 + uD;\n  drawn + iD = i;\n"
            "  if on then uS = R*drawn; else then drawn = 1e-6*uS; end if;\n"
            "  if carries then uD = R*iD; else then iD = 1e-6*uD; end if;\n"
            "  when carries and iD < 0 then carries << false;\n"
            "  else when not carries and uD > 0 then carries << true; end when;\n"
            "  if initial() then R << 1e-3; else then\n"
            "    when on then R << %s; end when;\n  end if;\n"
            "end One;\nmodel All\nimplementation:\n"
            "  static One a{phase << 0}; static One b{phase << 0.3};\nend All;\n",
            wears ? "1.01*pre(x = R)" : "1e-3");
    fclose(f);
    return text;
}

static Seen run_limited(const char *text, SolOptions options, const uint32_t *limit)
{
    SimLab *lab = sim_lab_text(text, &options);
    Seen seen = {0};
    for (int i = 1; i <= PIECES; i++) {
        if (limit)
            loop_whole_limit(lab->sim->sim, limit[i - 1]);
        assert_int_equal(sim_lab_run(lab, options.stop * i / PIECES), SOL_OK);
    }
    sol_stats(lab->sim, &seen.stats);
    seen.hash = lab->hash;
    seen.events = lab->n_events;
    sim_lab_close(lab);
    return seen;
}

static void loops_return(void **state)
{
    (void)state;
    static const uint32_t limits[PIECES] = {4, 1, 100, 1, 8, 4, 4, 1000};
    for (int wears = 0; wears < 2; wears++) {
        char *text = converters(wears);
        for (int s = 0; s < SOLVERS; s++) {
            SolOptions options = {
                .stop = 0.001, .steps = 20, .jit_wait = true, .cache = "off", .solver = solvers[s]};
            Seen kept = run_limited(text, options, NULL);
            Seen some = run_limited(text, options, limits);
            options.forget_modes = true;
            Seen made = run_limited(text, options, NULL);
            assert_true(kept.hash == made.hash && some.hash == made.hash);
            assert_true(kept.events >= 30 && kept.events == made.events);
            assert_true(2 * kept.stats.modes_returned >= kept.events);
            assert_true(some.stats.modes_returned < kept.stats.modes_returned);
            assert_int_equal(made.stats.modes_returned, 0);
        }
        free(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(modes_return),
        cmocka_unit_test(memory_is_bounded),
        cmocka_unit_test(long_stay_has_fixed_code),
        cmocka_unit_test(loops_return),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
