/* test_save.c: a simulation that is saved goes on in another one with the same bits: values,
 * events, births and deaths, from every checkpoint of runs with all kinds of structural change. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/support/save_lab.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void check_case(SaveCase c)
{
    const char *wrong = save_lab_check(&c);
    if (wrong)
        fail_msg("%s: %s", c.model ? c.model : "text", wrong);
}

static const char modes[] = "model Modes\n"
                            "implementation:\n"
                            "  static Real s; static Real x; static Real n; static Real w;\n"
                            "  s = sin(x=5*time);\n"
                            "  if s > 0 then der(x=x, start=1) = -x; else then x = -5 + s; end;\n"
                            "  when s > 0.5 then n << pre(n) + 1; end;\n"
                            "  when Sample(interval=0.3) then w << random(x=10); end;\n"
                            "end Modes;\n";

static void branches_samples_and_draws(void **state)
{
    (void)state;
    const SolSolver solvers[] = {SOL_SOLVER_IDA, SOL_SOLVER_RK, SOL_SOLVER_EULER,
                                 SOL_SOLVER_INLINE};
    for (int i = 0; i < 4; i++)
        check_case(
            (SaveCase){.text = modes,
                       .options = {.stop = 6, .steps = 60, .solver = solvers[i], .step = 0.01}});
}

static const char loops[] =
    "model Loops\n"
    "implementation:\n"
    "  static Real a; static Real b; static Real x; static Real u;\n"
    "  u = sin(x=time);\n"
    "  a + b^3 = u;\n"
    "  a = b + exp(x=0.1*b) + x;\n"
    "  der(x=x, start=0) = a - x;\n"
    "  if u > 0 then static Real p; static Real q; p + 2*q = u; p - q = x; end;\n"
    "end Loops;\n";

static void loops_keep_their_guesses(void **state)
{
    (void)state;
    check_case((SaveCase){.text = loops, .options = {.stop = 20, .steps = 40}});
    /* stiff but at its jumps: which solver it has is saved */
    check_case((SaveCase){.file = SOLSTICE_SOURCE_DIR "/tests/sim/stiff.sol",
                          .model = "VanDerPol",
                          .options = {.stop = 2000, .steps = 20, .solver = SOL_SOLVER_AUTO}});
}

static const char births[] = "model Car\n"
                             "interface: static Real x; dynamic Car next;\n"
                             "implementation: static Real v;\n"
                             "  der(x=x, start=random(x=1)) = v;\n"
                             "  if x > 2 then v = 0.5; else then v = 1; end;\n"
                             "end Car;\n"
                             "model Road\n"
                             "implementation:\n"
                             "  dynamic Car first{};\n"
                             "  dynamic Car buffer;\n"
                             "  when Sample(interval=0.7) then\n"
                             "    buffer <- first;\n"
                             "    first <- Car{};\n"
                             "    if buffer? then first.next <- buffer; end;\n"
                             "  end;\n"
                             "end Road;\n";

static void births_and_moves(void **state)
{
    (void)state;
    check_case((SaveCase){.text = births, .options = {.stop = 6, .steps = 30, .seed = 5}});
}

/* Copies of instances that own others and refer to them, aliases that are bound anew. */
static const char copies[] =
    "model Core\n"
    "interface: static Real x; parameter Real k;\n"
    "implementation:\n"
    "  der(x = x, start << k) = -x + random(x = 1);\n"
    "end Core;\n"
    "model Shell\n"
    "interface: dynamic Core inner{k << 2}; alias Core seen; static Real y;\n"
    "implementation:\n"
    "  static Real z;\n"
    "  seen << inner;\n"
    "  y = seen.x;\n"
    "  if y > 0.7 then der(x = z, start << 0) = y; else then z = -y; end;\n"
    "  when Sample(interval = 0.9) then inner <- Core{k << 1 + y}; seen << inner; end;\n"
    "end Shell;\n"
    "model Copies\n"
    "implementation:\n"
    "  dynamic Shell a{}; dynamic Shell b; dynamic Shell c;\n"
    "  static Real n; static Real sum;\n"
    "  when Sample(interval = 0.7) then n << pre(n) + 1; c <- b; b << a; end;\n"
    "  when time > 3.3 then trash <- b; end;\n"
    "  if c? then sum = a.y + c.y; else then sum = a.y; end;\n"
    "end Copies;\n";

static void copies_and_aliases(void **state)
{
    (void)state;
    check_case((SaveCase){.text = copies, .options = {.stop = 6, .steps = 30, .seed = 2}});
    check_case(
        (SaveCase){.text = copies,
                   .options = {.stop = 6, .steps = 30, .solver = SOL_SOLVER_EULER, .step = 0.05}});
}

/* Functions that jump are kept between events; comparisons whose operands begin and cease to vary.
 */
static const char jumps[] =
    "model Jumps\n"
    "implementation:\n"
    "  static Real x; static Real y; static Real u; static Real v; static Real w; static Real n;\n"
    "  u = sin(x = 3*time);\n"
    "  der(x = x, start << 0) = floor(x = 4*u) - 0.5*x + mod(time, 0.7);\n"
    "  v + w = floor(x = 2*x) + u;\n"
    "  v - (2 + sign(x = u))*w = x;\n"
    "  if u > 0.3 then y = u; else then y = 0.1; end;\n"
    "  when y > 0.6 and x < 5 then n << pre(n) + 1; end;\n"
    "end Jumps;\n";

static void what_is_kept_between_events(void **state)
{
    (void)state;
    const SolSolver solvers[] = {SOL_SOLVER_IDA, SOL_SOLVER_RK, SOL_SOLVER_EULER};
    for (int i = 0; i < 3; i++)
        check_case(
            (SaveCase){.text = jumps,
                       .options = {.stop = 8, .steps = 40, .solver = solvers[i], .step = 0.01}});
}

static void models_of_the_language_tests(void **state)
{
    (void)state;
    check_case(
        (SaveCase){.file = SOLSTICE_SOURCE_DIR "/tests/lang/good/population.sol",
                   .options = {.stop = 100, .steps = 50, .solver = SOL_SOLVER_EULER, .step = 0.1}});
    check_case(
        (SaveCase){.file = SOLSTICE_SOURCE_DIR "/tests/lang/good/traffic.sol",
                   .options = {.stop = 40, .steps = 50, .solver = SOL_SOLVER_EULER, .step = 0.1}});
}

#define SIM SOLSTICE_SOURCE_DIR "/tests/sim/"
#define LIBRARY SOLSTICE_SOURCE_DIR "/stdlib/"

/* Circuits through their modes, a pendulum whose states are selected anew while it goes round. */
static void models_of_the_simulation_tests(void **state)
{
    (void)state;
    const struct {
        const char *file, *model;
        double stop;
    } cases[] = {{SIM "circuits.sol", "FourModes", 0.1},
                 {SIM "circuits.sol", "Rectifier", 0.1},
                 {SIM "circuits.sol", "Vanishing", 1},
                 {SIM "mechanics.sol", "BreakingPendulum", 3},
                 {SIM "mechanics.sol", "Round", 10},
                 {SIM "stiff.sol", "Amplifier", 0.02},
                 {SIM "mechanics.sol", "ThrowingArm", 2},
                 {SIM "changing.sol", "Population", 60},
                 {SIM "changing.sol", "Traffic", 20},
                 {SIM "changing.sol", "MachineByMove", 10},
                 {SIM "changing.sol", "StickSlip", 5},
                 {SIM "changing.sol", "Sampled", 2},
                 {SIM "births.sol", "Births.Reborn", 3},
                 {SIM "rectifiers.sol", "Alone", 0.1},
                 {SIM "singular.sol", "Singular.Island", 1},
                 {LIBRARY "Planar.sol", "Planar.Examples.Trebuchet", 2}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_case((SaveCase){.file = cases[i].file,
                              .model = cases[i].model,
                              .options = {.stop = cases[i].stop, .steps = 50}});
}

/* A simulation that shows nothing. */
static Sol *open_sim(const SaveCase *c, SolModel **model)
{
    *model = sol_load(&(SolLoad){.path = "m.sol", .text = c->text, .length = strlen(c->text)});
    Sol *sim = sol_create(*model, NULL, &c->options);
    assert_non_null(sim);
    sol_set_output(sim, &(SolOutput){0});
    return sim;
}

static void what_does_not_fit_is_refused(void **state)
{
    (void)state;
    SaveCase c = {.text = modes, .options = {.stop = 6, .savable = true}};
    SaveCase seed = c, text = c, plain = c;
    SaveBytes saved = {0};
    SolModel *model;
    Sol *sim = open_sim(&c, &model);
    assert_int_equal(sol_run_to(sim, 2), SOL_OK);
    assert_int_equal(sol_save(sim, save_lab_put, &saved), SOL_OK);
    assert_int_equal(sol_restore(sim, save_lab_get, &saved), SOL_USAGE); /* runs already */
    sol_unload(model);
    seed.options.seed = 1;
    text.text = loops;
    plain.options.savable = false;
    const SaveCase *cases[] = {&seed, &text, &plain};
    for (int i = 0; i < 3; i++) {
        sim = open_sim(cases[i], &model);
        saved.next = 0;
        assert_int_equal(sol_restore(sim, save_lab_get, &saved), SOL_USAGE);
        if (cases[i] == &plain)
            assert_int_equal(sol_save(sim, save_lab_put, &saved), SOL_USAGE);
        else
            assert_int_not_equal(sol_run_to(sim, 3), SOL_OK);
        sol_unload(model);
    }
    size_t n = saved.n;
    for (saved.n = 0; saved.n < n; saved.n += n / 50 + 1) { /* cut anywhere */
        sim = open_sim(&c, &model);
        saved.next = 0;
        SolStatus status = sol_restore(sim, save_lab_get, &saved);
        assert_true(status == SOL_IO || status == SOL_USAGE);
        sol_unload(model);
    }
    free(saved.at);
}

static uint32_t errors_of(const SolModel *model)
{
    uint32_t errors = 0;
    SolMessage message;
    for (uint32_t i = 0; sol_message(model, i, &message); i++)
        errors += message.severity == SOL_ERROR;
    return errors;
}

/* Any bit the other way round, and any length too short: refused with a message, and the simulation
 * does not go on. */
static void what_is_damaged_is_refused(void **state)
{
    (void)state;
    SaveCase c = {.text = births, .options = {.stop = 6, .seed = 5, .savable = true}};
    SaveBytes saved = {0};
    SolModel *model;
    Sol *sim = open_sim(&c, &model);
    assert_int_equal(sol_run_to(sim, 3), SOL_OK);
    assert_int_equal(sol_save(sim, save_lab_put, &saved), SOL_OK);
    sol_unload(model);
    size_t whole = saved.n;
    for (size_t i = 0; i < 2 * whole; i += whole / 300 + 1) {
        bool cut = i >= whole;
        saved.n = cut ? i - whole : whole;
        if (!cut)
            saved.at[i] ^= (uint8_t)(1u << i % 8);
        saved.next = 0;
        sim = open_sim(&c, &model);
        SolStatus status = sol_restore(sim, save_lab_get, &saved);
        assert_true(status == SOL_IO || status == SOL_USAGE);
        assert_true(errors_of(model) > 0);
        assert_int_not_equal(sol_run_to(sim, 4), SOL_OK);
        sol_unload(model);
        if (!cut)
            saved.at[i] ^= (uint8_t)(1u << i % 8);
    }
    saved.n = whole;
    saved.next = 0;
    sim = open_sim(&c, &model);
    assert_int_equal(sol_restore(sim, save_lab_get, &saved), SOL_OK);
    assert_int_equal(sol_run_to(sim, 4), SOL_OK);
    sol_unload(model);
    free(saved.at);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(branches_samples_and_draws),
        cmocka_unit_test(loops_keep_their_guesses),
        cmocka_unit_test(births_and_moves),
        cmocka_unit_test(copies_and_aliases),
        cmocka_unit_test(what_is_kept_between_events),
        cmocka_unit_test(models_of_the_language_tests),
        cmocka_unit_test(models_of_the_simulation_tests),
        cmocka_unit_test(what_does_not_fit_is_refused),
        cmocka_unit_test(what_is_damaged_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
