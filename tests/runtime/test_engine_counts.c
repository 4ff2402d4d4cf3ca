/* test_engine_counts.c: runs whose structure changes -> how much was compiled and cut anew. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "jit/jit_int.h"
#include "runtime/eval/blocks.h"
#include "runtime/foreign/foreign_int.h"
#include "runtime/eval/loop_code.h"
#include "runtime/eval/tape_int.h"
#include "tests/support/sim_lab.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Code is waited for and never optimised: then every count is exact, whatever the machine does. */
static SimLab *open_quick(SimLab *lab)
{
    engine_jit(lab->sim->sim->engine)->options.only_quick = true;
    return lab;
}

static const SolOptions waiting = {.stop = 1e6, .steps = 1000000, .jit_wait = true, .cache = "off"};

static SolStats stats_of(const SimLab *lab)
{
    SolStats stats;
    sol_stats(lab->sim, &stats);
    return stats;
}

/* ---- modes and components that were seen before ---- */

static void a_mode_that_returns_compiles_nothing(void **state)
{
    (void)state;
    SolOptions options = waiting;
    options.stop = 1;
    SimLab *lab = open_quick(sim_lab_open("circuits.sol", "Rectifier", &options));
    while (lab->n_events < 3) /* conducts, blocks, conducts again */
        assert_int_equal(sim_lab_run(lab, sol_time(lab->sim) + 0.001), SOL_OK);
    SolStats seen = stats_of(lab);
    uint32_t before = lab->n_events;
    assert_true(seen.functions_compiled > 0);
    assert_int_equal(sim_lab_run(lab, 1), SOL_OK);
    SolStats now = stats_of(lab);
    assert_true(lab->n_events > before + 50);
    assert_int_equal(now.functions_compiled, seen.functions_compiled);
    assert_int_equal(now.shapes, seen.shapes);
    for (uint32_t i = before; i < lab->n_events; i++) {
        assert_true(lab->event[i].blocks_rebuilt + lab->event[i].modes_returned > 0);
        assert_int_equal(lab->event[i].shapes_new, 0);
    }
    sim_lab_close(lab);
}

/* ---- simulations of one model, one after the other ---- */

static uint32_t held_entries(const Jit *jit)
{
    uint32_t n = 0;
    for (uint32_t i = 1; i < jit->entries.n; i++)
        n += jit->entries.at[i] && jit->entries.at[i]->holders > 0;
    return n;
}

/* Runs it once more; what it ends with. The service has `jit`'s counts then, and nobody holds anything in it. */
static double run_once(SolModel *model, const char *name, const SolOptions *options,
                       const char *path, SolStats *stats, JitStats *jit)
{
    Sol *sim = sol_create(model, name, options);
    assert_non_null(sim);
    assert_int_equal(sol_run_to(sim, options->stop), SOL_OK);
    double value = NAN;
    assert_int_equal(sol_read(sim, sol_find(sim, path), &value), SOL_OK);
    sol_stats(sim, stats);
    sol_close(sim);
    assert_int_equal(model->code.n, 1);
    assert_int_equal(held_entries(model->code.at[0]), 0);
    *jit = jit_stats(model->code.at[0]);
    return value;
}

static void a_second_simulation_has_the_code_of_the_first(void **state)
{
    (void)state;
    static const struct {
        const char *file, *name, *path, *parameter;
        SolSolver solver;
        double stop;
    } cases[] = {{"circuits.sol", "Rectifier", "uC", NULL, SOL_SOLVER_IDA, 0.2},
                 {"circuits.sol", "Rectifier", "uC", "L", SOL_SOLVER_IDA, 0.1},
                 {"circuits.sol", "Rectifier", "uC", NULL, SOL_SOLVER_RK, 0.2},
                 {"changing.sol", "Population", "tank.N", NULL, SOL_SOLVER_EULER, 100}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        SolOptions options = waiting;
        SolStats stats[2];
        JitStats jit[2];
        options.stop = cases[i].stop;
        options.steps = 100;
        options.solver = cases[i].solver;
        options.n_sensitivities = cases[i].parameter ? 1 : 0;
        options.sensitivities = &cases[i].parameter;
        SimLab *lab = sim_lab_open(cases[i].file, cases[i].name, &options);
        double value[2];
        for (int k = 0; k < 2; k++)
            value[k] =
                run_once(lab->model, cases[i].name, &options, cases[i].path, &stats[k], &jit[k]);
        assert_memory_equal(&value[0], &value[1], sizeof *value);
        assert_true(stats[0].functions_compiled > 0);
        assert_true(stats[1].shapes_from_memory > 0);
        assert_int_equal(jit[1].shapes, jit[0].shapes);
        assert_int_equal(stats[1].shapes, stats[0].shapes);
        sim_lab_close(lab);
    }
}

/* Four times the volume, four times the population. */
static void shapes_do_not_grow_with_the_population(void **state)
{
    (void)state;
    static const char *const litres[] = {"25", "100"};
    SolStats stats[2];
    for (int i = 0; i < 2; i++) {
        SolSet set = {"litres", litres[i]};
        SolOptions options = waiting;
        options.solver = SOL_SOLVER_RK;
        options.stop = 600;
        options.steps = 600;
        options.n_sets = 1;
        options.sets = &set;
        SimLab *lab = open_quick(sim_lab_open("changing.sol", "Population", &options));
        assert_int_equal(sim_lab_run(lab, 600), SOL_OK);
        stats[i] = stats_of(lab);
        sim_lab_close(lab);
    }
    print_message("functions %u and %u, shapes %u and %u\n", stats[0].functions_compiled,
                  stats[1].functions_compiled, stats[0].shapes, stats[1].shapes);
    assert_true(stats[1].states_max > 3 * stats[0].states_max);
    assert_true(stats[0].functions_compiled > 0 && stats[0].functions_compiled < 60);
    assert_true(stats[1].functions_compiled <= stats[0].functions_compiled + 2);
    assert_true(stats[1].shapes <= stats[0].shapes + 2);
}

/* A chain of equal sections that grows at its far end by one every second. */
static const char growing[] = "model Section\n"
                              "interface:\n"
                              "  static Real u; static Real i;\n"
                              "  static Real uNext; static Real iNext;\n"
                              "implementation:\n"
                              "  static Real uL;\n"
                              "  uL = 0.1*der(x = i);\n"
                              "  u = 0.01*i + uL + uNext;\n"
                              "  i - iNext = 0.001*der(x = uNext);\n"
                              "end Section;\n"
                              "model Chain\n"
                              "interface:\n"
                              "  parameter Integer n;\n"
                              "  static Real u; static Real i;\n"
                              "implementation:\n"
                              "  static Section s;\n"
                              "  s.u = u; s.i = i;\n"
                              "  if time < n then\n"
                              "    s.iNext = 0.01*s.uNext;\n"
                              "  else then\n"
                              "    static Chain rest{n << n + 1};\n"
                              "    rest.u = s.uNext; rest.i = s.iNext;\n"
                              "  end;\n"
                              "end Chain;\n"
                              "model Growing\n"
                              "implementation:\n"
                              "  static Chain chain{n << 1};\n"
                              "  chain.u = sin(x = time);\n"
                              "end Growing;\n";

/* What a batch of equal blocks needs is compiled when there are enough of them for one (8, and 64 for
 * arrays), so the chain grows from 3 to 7 sections, and from 10 to 20. */
static void check_growth(SimLab *lab, double from, double to)
{
    assert_int_equal(sim_lab_run(lab, from), SOL_OK);
    SolStats seen = stats_of(lab);
    uint32_t before = lab->n_events;
    assert_int_equal(sim_lab_run(lab, to), SOL_OK);
    SolStats now = stats_of(lab);
    assert_int_equal(lab->n_events, before + (uint32_t)(to - from));
    assert_int_equal(now.states, seen.states + 2 * (uint32_t)(to - from));
    assert_true(seen.functions_compiled > 0);
    assert_int_equal(now.functions_compiled, seen.functions_compiled);
    assert_int_equal(now.shapes, seen.shapes);
}

static void one_more_of_a_known_kind_compiles_nothing(void **state)
{
    (void)state;
    SolOptions options = waiting;
    options.stop = options.steps = 20;
    SimLab *lab = open_quick(sim_lab_text(growing, &options));
    check_growth(lab, 2.5, 6.5);
    check_growth(lab, 9.5, 19.5);
    sim_lab_close(lab);
}

/* ---- one equation among ten thousand ---- */

enum { FLAT = 10000, GROUPS = 100, CELLS = 25 };

typedef struct Text {
    char *at;
    size_t n, room;
} Text;

static void add(Text *text, const char *format, ...)
{
    va_list args;
    if (text->room - text->n < 1000) {
        text->room = 2 * text->room + 2000;
        text->at = realloc(text->at, text->room);
    }
    va_start(args, format);
    text->n += (size_t)vsnprintf(text->at + text->n, text->room - text->n, format, args);
    va_end(args);
}

/* Each value follows from the one before; the middle one has two equations in turn. */
static Text flat_model(void)
{
    Text t = {0};
    add(&t, "model Flat\nimplementation:\n  static Real s;\n");
    for (int i = 0; i <= FLAT; i++)
        add(&t, "  static Real x%d;\n", i);
    add(&t, "  x0 = s + 1;\n  der(x = s, start << 1) = -0.001*x%d - s;\n", FLAT);
    for (int i = 1; i <= FLAT; i++)
        if (i != FLAT / 2)
            add(&t, "  x%d = 0.5*x%d + %d*s;\n", i, i - 1, i % 7);
    add(&t, "  if time < 0.5 then\n    x%d = x%d - s;\n", FLAT / 2, FLAT / 2 - 1);
    add(&t, "  else then\n    x%d = 0.5*x%d;\n  end;\nend Flat;\n", FLAT / 2, FLAT / 2 - 1);
    return t;
}

/* The same in groups of cells of four relations, of which one may change. */
static Text nested_model(void)
{
    Text t = {0};
    add(&t, "model Cell\ninterface:\n  static Real p; static Real q;\n"
            "  parameter Real until << 1e9;\n"
            "implementation:\n  static Real a; static Real b; static Real c;\n"
            "  a = 2*p + 1;\n  b = a/3;\n  c = a - b;\n"
            "  if time < until then q = 0.5*c; else then q = 0.25*b; end;\nend Cell;\n");
    add(&t, "model Group\ninterface:\n  static Real p; static Real q;\n"
            "  parameter Real until << 1e9;\nimplementation:\n");
    for (int i = 0; i < CELLS; i++)
        add(&t, "  static Cell c%d%s;\n", i, i == CELLS / 2 ? "{until << until}" : "");
    add(&t, "  c0.p = p;\n  q = c%d.q;\n", CELLS - 1);
    for (int i = 1; i < CELLS; i++)
        add(&t, "  c%d.p = c%d.q;\n", i, i - 1);
    add(&t, "end Group;\nmodel Nested\nimplementation:\n  static Real s;\n");
    for (int i = 0; i < GROUPS; i++)
        add(&t, "  static Group g%d%s;\n", i, i == GROUPS / 2 ? "{until << 0.5}" : "");
    add(&t, "  g0.p = s;\n  der(x = s, start << 1) = -s - 0.01*g%d.q;\n", GROUPS - 1);
    for (int i = 1; i < GROUPS; i++)
        add(&t, "  g%d.p = g%d.q;\n", i, i - 1);
    add(&t, "end Nested;\n");
    return t;
}

static void check_one_equation(Text text)
{
    SolOptions options = waiting;
    options.stop = 1;
    options.steps = 4;
    SimLab *lab = open_quick(sim_lab_text(text.at, &options));
    assert_int_equal(sim_lab_run(lab, 1), SOL_OK);
    assert_true(stats_of(lab).relations >= FLAT);
    assert_int_equal(lab->n_events, 1);
    assert_true(fabs(lab->event_time[0] - 0.5) < 1e-9);
    assert_int_equal(lab->event[0].entered, 1);
    assert_int_equal(lab->event[0].removed, 1);
    print_message("%u blocks rebuilt, %u kept, %u new shapes\n", lab->event[0].blocks_rebuilt,
                  lab->event[0].blocks_kept, lab->event[0].shapes_new);
    assert_in_range(lab->event[0].blocks_rebuilt, 1, 3);
    assert_true(lab->event[0].blocks_kept > 100);
    sim_lab_close(lab);
    free(text.at);
}

static void one_equation_of_a_flat_model(void **state)
{
    (void)state;
    check_one_equation(flat_model());
}

static void one_equation_of_a_nested_model(void **state)
{
    (void)state;
    check_one_equation(nested_model());
}

/* ---- loops ---- */

/* How many torn loops of the simulation run as native code; all of them have to. */
static uint32_t compiled_loops(const SimLab *lab)
{
    const Sim *sim = lab->sim->sim;
    uint32_t n = 0;
    for (uint32_t i = 0; i < sim->nodes.n; i++) {
        const EvalNode *node = &sim->nodes.at[i];
        JitTier tier = JIT_NONE;
        uint64_t born;
        if (!node->live || !node->loop || !node->varies || node->untorn)
            continue;
        assert_true(loop_code_note(node, &tier, &born));
        assert_int_equal(tier, JIT_QUICK);
        n++;
    }
    return n;
}

static void loops_are_code(void **state)
{
    (void)state;
    static const SolEngine engines[] = {SOL_ENGINE_INTERP, SOL_ENGINE_JIT, SOL_ENGINE_REBUILD};
    uint64_t hash[3];
    for (int i = 0; i < 3; i++) {
        SolOptions options = waiting;
        options.engine = engines[i];
        options.stop = 0.02;
        options.steps = 50;
        SimLab *lab = sim_lab_open("stiff.sol", "Amplifier", &options);
        if (i > 0)
            open_quick(lab);
        assert_int_equal(sim_lab_run(lab, 0.02), SOL_OK);
        assert_true(i == 0 || compiled_loops(lab) > 0);
        hash[i] = lab->hash;
        sim_lab_close(lab);
    }
    assert_true(hash[0] == hash[1] && hash[0] == hash[2]);
}

/* ---- what has long been stable ---- */

enum { CHAIN = 100 };

/* A chain in which no two relations are alike to each other for long, with a loop (so that there is
 * no tape) or without, and a change of structure at time 1. */
static void write_chain(char *text, size_t size, bool loop)
{
    size_t at = (size_t)snprintf(text, size, "model Top\nimplementation:\n");
    for (int i = 0; i <= CHAIN; i++)
        at += (size_t)snprintf(text + at, size - at, "  static Real a%d;\n", i);
    for (int i = 1; i <= CHAIN; i++)
        at += (size_t)snprintf(text + at, size - at, "  a%d = 0.%d*a%d %s 0.01*x%s;\n", i,
                               i % 8 + 1, i - 1, i % 3 ? "+" : "-", i % 5 ? "" : "*x");
    snprintf(text + at, size - at,
             "  static Real x; static Real y; static Real w; static Real p; static Real q;\n"
             "  static Boolean late;\n"
             "  a0 = x; %s q - 0.3*p = 0.1*y;\n"
             "  when time > 1 then late << true; end;\n"
             "  if late then w = sin(x=a50); else then w = 2*a50; end;\n"
             "  der(x=x, start=1) = p + a%d - x;\n"
             "  der(x=y, start=0) = w + q - y;\n"
             "end Top;\n",
             loop ? "p + sin(x=q) = x;" : "p = x*y;", CHAIN);
}

static SimLab *open_chain(SolEngine engine, bool loop)
{
    char text[16384];
    SolOptions options = waiting;
    options.engine = engine;
    options.solver = SOL_SOLVER_RK;
    options.max_step = 0.01;
    options.stop = 2;
    options.steps = 20;
    write_chain(text, sizeof text, loop);
    return sim_lab_text(text, &options);
}

static bool has_pieces(const SimLab *lab)
{
    bool any = false;
    for (uint32_t i = 0; i < lab->sim->sim->parts.n; i++) {
        const Part *part = lab->sim->sim->parts.at[i];
        any |= part->code.fixed != NULL || (part->code.tape && part->code.tape->pieces.n > 0);
    }
    return any;
}

static void stable_code_becomes_larger_pieces(bool loop)
{
    SimLab *lab = open_chain(SOL_ENGINE_INTERP, loop);
    assert_int_equal(sim_lab_run(lab, 2), SOL_OK);
    uint64_t interpreted = lab->hash;
    sim_lab_close(lab);
    lab = open_quick(open_chain(SOL_ENGINE_JIT, loop));
    Engine *engine = lab->sim->sim->engine;
    engine->fixed_after = 100;
    engine->fixed_quick = true; /* or it would depend on heat when they are used */
    assert_int_equal(sim_lab_run(lab, 0.9), SOL_OK);
    assert_true(has_pieces(lab) && engine->fixed_calls > 100);
    assert_int_equal(sim_lab_run(lab, 1.02), SOL_OK);
    assert_int_equal(lab->n_events, 1);
    assert_false(has_pieces(lab)); /* the structure is another one: they are gone */
    uint64_t before = engine->fixed_calls;
    assert_int_equal(sim_lab_run(lab, 2), SOL_OK);
    assert_true(has_pieces(lab) && engine->fixed_calls > before + 100);
    assert_true(lab->hash == interpreted);
    sim_lab_close(lab);
}

static void stable_leaves_become_larger_pieces(void **state)
{
    (void)state;
    stable_code_becomes_larger_pieces(true);
}

static void stable_units_become_larger_pieces(void **state)
{
    (void)state;
    stable_code_becomes_larger_pieces(false);
}

/* ---- foreign functions ---- */

#define DAMPER "\"" SOLSTICE_BINARY_DIR "/libdamper\" \"damper_force\""

/* A damper whose law has a derivative function, and one that is derived by differences. */
static const char dampers[] =
    "model Sloped external " DAMPER " derivative \"damper_slope\";\n"
    "interface: in Real v; in Real d; out Real f; end Sloped;\n"
    "model Plain external " DAMPER "; interface: in Real v; in Real d; out Real f; end Plain;\n"
    "model Top\n"
    "implementation:\n"
    "  static Real x; static Real v; static Real y; static Real w;\n"
    "  v = der(x=x, start=1); der(x=v, start=0) = -x - Sloped(v=v, d=0.5);\n"
    "  w = der(x=y, start=1); der(x=w, start=0) = -y - Plain(v=w, d=0.5);\n"
    "end Top;\n";

static void code_does_not_use_libffi(void **state)
{
    (void)state;
    SolOptions options = waiting;
    options.stop = 100;
    options.steps = 100;
    options.audit = SIM_LAB_UNAUDITED; /* it calls foreign functions itself */
    SimLab *lab = open_quick(sim_lab_text(dampers, &options));
    assert_int_equal(sim_lab_run(lab, 10), SOL_OK);
    uint64_t before = lab->sim->sim->foreign->ffi_calls, residuals = stats_of(lab).residuals;
    assert_true(before > 0); /* the start is interpreted */
    assert_int_equal(sim_lab_run(lab, 100), SOL_OK);
    assert_true(stats_of(lab).residuals > residuals + 100);
    assert_int_equal(lab->sim->sim->foreign->ffi_calls, before);
    sim_lab_close(lab);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_mode_that_returns_compiles_nothing),
        cmocka_unit_test(a_second_simulation_has_the_code_of_the_first),
        cmocka_unit_test(shapes_do_not_grow_with_the_population),
        cmocka_unit_test(one_more_of_a_known_kind_compiles_nothing),
        cmocka_unit_test(one_equation_of_a_flat_model),
        cmocka_unit_test(one_equation_of_a_nested_model),
        cmocka_unit_test(code_does_not_use_libffi),
        cmocka_unit_test(loops_are_code),
        cmocka_unit_test(stable_leaves_become_larger_pieces),
        cmocka_unit_test(stable_units_become_larger_pieces),
    };
    return cmocka_run_group_tests_name("engine counts", tests, NULL, NULL);
}
