/* test_save.c: a simulation that is saved goes on in another one with the same bits: values,
 * events, births and deaths, from every checkpoint of runs with all kinds of structural change. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "runtime/solstice.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CHECKPOINTS = 8 };

typedef struct Bytes {
    uint8_t *at;
    size_t n, cap, next;
} Bytes;

static bool put(void *context, const void *bytes, size_t n)
{
    Bytes *to = context;
    if (to->n + n > to->cap) {
        to->cap = 2 * (to->n + n);
        to->at = realloc(to->at, to->cap);
    }
    memcpy(to->at + to->n, bytes, n);
    to->n += n;
    return true;
}

static bool get(void *context, void *bytes, size_t n)
{
    Bytes *from = context;
    if (n > from->n - from->next)
        return false;
    memcpy(bytes, from->at + from->next, n);
    from->next += n;
    return true;
}

/* Everything a run shows, as bytes: points with the values of all living variables, events. */
typedef struct Show {
    Sol *sim;
    Bytes bytes;
} Show;

static bool show_point(void *context, const SolPoint *point)
{
    Show *show = context;
    put(&show->bytes, &point->time, sizeof point->time);
    for (SolVar var = sol_next_var(show->sim, 0); var; var = sol_next_var(show->sim, var)) {
        SolVarInfo info;
        char path[200];
        sol_var_info(show->sim, var, &info);
        sol_var_path(show->sim, var, path, sizeof path);
        put(&show->bytes, path, strlen(path));
        put(&show->bytes, &info.birth, sizeof info.birth);
        put(&show->bytes, &point->values[var], sizeof(double));
    }
    return true;
}

static void show_event(void *context, const SolEvent *event)
{
    Show *show = context;
    put(&show->bytes, &event->time, sizeof event->time);
    put(&show->bytes, &event->updates, sizeof event->updates);
    put(&show->bytes, &event->entered, sizeof event->entered);
    for (uint32_t i = 0; i < event->n_triggers; i++)
        put(&show->bytes, event->triggers[i], strlen(event->triggers[i]));
}

typedef struct Case {
    const char *text, *file; /* one of them */
    const char *model;
    SolOptions options;
} Case;

static SolModel *load(const Case *c)
{
    SolLoad from = {.path = c->file ? c->file : "m.sol", .text = c->text};
    from.length = c->text ? strlen(c->text) : 0;
    from.stdlib = SOLSTICE_SOURCE_DIR "/stdlib";
    return sol_load(&from);
}

static Sol *open_sim(const Case *c, SolModel *model, Show *show)
{
    Sol *sim = sol_create(model, c->model, &c->options);
    if (!sim)
        sol_print_messages(model, 0, stderr, false);
    assert_non_null(sim);
    *show = (Show){.sim = sim};
    sol_set_output(sim, &(SolOutput){.context = show, .point = show_point});
    sol_set_event(sim, show_event, show);
    return sim;
}

static void expect_ok(const SolModel *model, SolStatus status)
{
    if (status != SOL_OK)
        sol_print_messages(model, 0, stderr, false);
    assert_int_equal(status, SOL_OK);
}

static double time_of(const Case *c, int checkpoint)
{
    return c->options.start + (c->options.stop - c->options.start) * checkpoint / (CHECKPOINTS + 1);
}

/* Goes on from what was saved as number i; what it shows must be what the whole run showed from
 * there. */
static void resume(const Case *c, int i, Bytes *saved, const Bytes *whole, const size_t *marks)
{
    Show show;
    SolModel *model = load(c);
    Sol *sim = open_sim(c, model, &show);
    Bytes again = {0};
    expect_ok(model, sol_restore(sim, get, saved));
    assert_int_equal(saved->next, saved->n);
    assert_true(fabs(sol_time(sim) - time_of(c, i + 1)) <= c->options.step); /* of the grid */
    expect_ok(model, sol_save(sim, put, &again)); /* nothing is lost by restoring */
    assert_int_equal(again.n, saved->n);
    assert_memory_equal(again.at, saved->at, saved->n);
    for (int k = i + 2; k <= CHECKPOINTS; k++) {
        expect_ok(model, sol_run_to(sim, time_of(c, k)));
        again.n = 0;
        expect_ok(model, sol_save(sim, put, &again));
    }
    expect_ok(model, sol_run_to(sim, c->options.stop));
    assert_int_equal(show.bytes.n, whole->n - marks[i]);
    assert_memory_equal(show.bytes.at, whole->at + marks[i], show.bytes.n);
    sol_close(sim);
    sol_unload(model);
    free(show.bytes.at);
    free(again.at);
}

static void check_case(Case c)
{
    Show show;
    Bytes saved[CHECKPOINTS] = {0};
    size_t marks[CHECKPOINTS];
    c.options.savable = true;
    SolModel *model = load(&c);
    Sol *sim = open_sim(&c, model, &show);
    for (int i = 0; i < CHECKPOINTS; i++) {
        expect_ok(model, sol_run_to(sim, time_of(&c, i + 1)));
        expect_ok(model, sol_save(sim, put, &saved[i]));
        marks[i] = show.bytes.n;
    }
    expect_ok(model, sol_run_to(sim, c.options.stop));
    assert_true(marks[0] > 0 && show.bytes.n > marks[CHECKPOINTS - 1]);
    sol_close(sim);
    sol_unload(model);
    for (int i = 0; i < CHECKPOINTS; i++) {
        resume(&c, i, &saved[i], &show.bytes, marks);
        free(saved[i].at);
    }
    free(show.bytes.at);
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
    const SolSolver solvers[] = {SOL_SOLVER_IDA, SOL_SOLVER_RK, SOL_SOLVER_EULER};
    for (int i = 0; i < 3; i++)
        check_case((Case){.text = modes,
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
    check_case((Case){.text = loops, .options = {.stop = 20, .steps = 40}});
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
    check_case((Case){.text = births, .options = {.stop = 6, .steps = 30, .seed = 5}});
}

static void models_of_the_language_tests(void **state)
{
    (void)state;
    check_case(
        (Case){.file = SOLSTICE_SOURCE_DIR "/tests/lang/good/population.sol",
               .options = {.stop = 100, .steps = 50, .solver = SOL_SOLVER_EULER, .step = 0.1}});
    check_case(
        (Case){.file = SOLSTICE_SOURCE_DIR "/tests/lang/good/traffic.sol",
               .options = {.stop = 40, .steps = 50, .solver = SOL_SOLVER_EULER, .step = 0.1}});
}

#define SIM SOLSTICE_SOURCE_DIR "/tests/sim/"

/* Circuits through their modes, a pendulum whose states are selected anew while it goes round. */
static void models_of_the_simulation_tests(void **state)
{
    (void)state;
    const struct {
        const char *file, *model;
        double stop;
    } cases[] = {
        {SIM "circuits.sol", "FourModes", 0.1}, {SIM "circuits.sol", "Rectifier", 0.1},
        {SIM "circuits.sol", "Vanishing", 1},   {SIM "mechanics.sol", "BreakingPendulum", 3},
        {SIM "mechanics.sol", "Round", 10},     {SIM "stiff.sol", "Amplifier", 0.02}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_case((Case){.file = cases[i].file,
                          .model = cases[i].model,
                          .options = {.stop = cases[i].stop, .steps = 50}});
}

static void what_does_not_fit_is_refused(void **state)
{
    (void)state;
    Case c = {.text = modes, .options = {.stop = 6, .savable = true}};
    Case seed = c, text = c, plain = c;
    Bytes saved = {0};
    Show show;
    SolModel *model = load(&c);
    Sol *sim = open_sim(&c, model, &show);
    expect_ok(model, sol_run_to(sim, 2));
    expect_ok(model, sol_save(sim, put, &saved));
    assert_int_equal(sol_restore(sim, get, &saved), SOL_USAGE); /* runs already */
    sol_unload(model);
    free(show.bytes.at);
    seed.options.seed = 1;
    text.text = loops;
    plain.options.savable = false;
    const Case *cases[] = {&seed, &text, &plain};
    for (int i = 0; i < 3; i++) {
        model = load(cases[i]);
        sim = open_sim(cases[i], model, &show);
        saved.next = 0;
        assert_int_equal(sol_restore(sim, get, &saved), SOL_USAGE);
        if (cases[i] == &plain)
            assert_int_equal(sol_save(sim, put, &saved), SOL_USAGE);
        else
            assert_int_not_equal(sol_run_to(sim, 3), SOL_OK);
        sol_unload(model);
        free(show.bytes.at);
    }
    size_t n = saved.n;
    for (saved.n = 0; saved.n < n; saved.n += n / 50 + 1) { /* cut anywhere */
        model = load(&c);
        sim = open_sim(&c, model, &show);
        saved.next = 0;
        SolStatus status = sol_restore(sim, get, &saved);
        assert_true(status == SOL_IO || status == SOL_USAGE);
        sol_unload(model);
        free(show.bytes.at);
    }
    free(saved.at);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(branches_samples_and_draws),
        cmocka_unit_test(loops_keep_their_guesses),
        cmocka_unit_test(births_and_moves),
        cmocka_unit_test(models_of_the_language_tests),
        cmocka_unit_test(models_of_the_simulation_tests),
        cmocka_unit_test(what_does_not_fit_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
