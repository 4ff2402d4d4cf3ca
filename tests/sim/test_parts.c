/* test_parts.c: many independent models in one -> each has the steps it has alone, an event is a
 * matter of those it touches, parts merge and split with the structure. All of it counted. */
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

enum { RECTIFIERS = 1000, MOST_EVENTS = 20000 };
static const double STOP = 0.07, UNCOUPLED = 0.05;

typedef struct Run {
    SolModel *model;
    Sol *sim;
    uint32_t n_events;
    SolEvent event[MOST_EVENTS];
} Run;

static void on_event(void *context, const SolEvent *event)
{
    Run *run = context;
    assert_true(run->n_events < MOST_EVENTS);
    run->event[run->n_events++] = *event;
}

static void created(Run *run)
{
    if (!run->sim)
        sol_print_messages(run->model, 0, stderr, false);
    assert_non_null(run->sim);
    sol_set_event(run->sim, on_event, run);
}

static void run_to(Run *run, double time)
{
    SolStatus status = sol_run_to(run->sim, time);
    if (status != SOL_OK)
        sol_print_messages(run->model, 0, stderr, false);
    assert_int_equal(status, SOL_OK);
}

static void close_run(Run *run)
{
    sol_unload(run->model);
    free(run);
}

/* ---- a thousand rectifiers ---- */

static Run *open_rectifiers(const char *model, const SolSet *set)
{
    Run *run = calloc(1, sizeof *run);
    run->model = sol_load(&(SolLoad){.path = SOLSTICE_SOURCE_DIR "/tests/sim/rectifiers.sol"});
    run->sim = sol_create(run->model, model,
                          &(SolOptions){.stop = STOP,
                                        .interval = STOP,
                                        .max_step = 0.002,
                                        .n_sets = set != NULL,
                                        .sets = set,
                                        .engine = SOL_ENGINE_INTERP});
    created(run);
    return run;
}

/* Steps of the rectifier whose number is n, alone. */
static uint64_t steps_alone(int n)
{
    char value[20];
    SolStats stats;
    snprintf(value, sizeof value, "%d", n);
    Run *run = open_rectifiers("Alone", &(SolSet){"n", value});
    run_to(run, STOP);
    sol_stats(run->sim, &stats);
    close_run(run);
    return stats.steps;
}

/* steps[n] of each of those in the row, found by its capacitor's voltage. */
static void steps_in_row(Sol *sim, uint64_t *steps)
{
    char path[200];
    for (SolVar var = sol_next_var(sim, 0); var; var = sol_next_var(sim, var)) {
        double number;
        SolPart part;
        size_t length = sol_var_path(sim, var, path, sizeof path);
        if (strncmp(path, "all.", 4) != 0 || strcmp(path + length - 4, ".r.u") != 0)
            continue;
        strcpy(path + length - 1, "n");
        assert_int_equal(sol_read(sim, sol_find(sim, path), &number), SOL_OK);
        assert_true(sol_part(sim, var, &part));
        assert_true(part.states <= 2);
        steps[(int)number] = part.steps;
    }
}

static SolStats stats_of(const Run *run)
{
    SolStats stats;
    sol_stats(run->sim, &stats);
    return stats;
}

/* Every event restarts one part; `but` at the time of the one event that is different. */
static void restarts_are_counted(const Run *run, double time, uint32_t but)
{
    uint64_t restarts = RECTIFIERS; /* the start */
    assert_true(run->n_events > 3 * RECTIFIERS);
    for (uint32_t i = 0; i < run->n_events; i++) {
        uint32_t expected = run->event[i].time == time ? but : 1;
        assert_int_equal(run->event[i].parts_restarted, expected);
        restarts += expected;
    }
    assert_int_equal(stats_of(run).restarts, restarts);
}

static void each_steps_as_if_alone(void **state)
{
    (void)state;
    static uint64_t steps[RECTIFIERS + 1];
    uint32_t compared = 0, same = 0;
    Run *run = open_rectifiers("Thousand", NULL);
    run_to(run, STOP);
    assert_int_equal(stats_of(run).parts, RECTIFIERS);
    restarts_are_counted(run, INFINITY, 0);
    steps_in_row(run->sim, steps);
    for (int n = 1; n <= RECTIFIERS; n += 20, compared++) {
        uint64_t alone = steps_alone(n);
        same += alone == steps[n];
        if (!(fabs((double)steps[n] - (double)alone) <= 0.05 * (double)alone))
            fail_msg("rectifier %d: %llu steps, alone %llu", n, (unsigned long long)steps[n],
                     (unsigned long long)alone);
    }
    printf("%u events, %llu steps; of %u rectifiers run alone %u took exactly as many\n",
           run->n_events, (unsigned long long)stats_of(run).steps, compared, same);
    close_run(run);
}

/* When two are coupled one integrator starts, that of both; when they are uncoupled two do. */
static void parts_merge_and_split(void **state)
{
    (void)state;
    Run *run = open_rectifiers("TwoMeet", NULL);
    const double times[] = {0.01, 0.03, STOP};
    const uint32_t parts[] = {RECTIFIERS, RECTIFIERS - 1, RECTIFIERS};
    SolPart part;
    for (int k = 0; k < 3; k++) {
        run_to(run, times[k]);
        assert_int_equal(stats_of(run).parts, parts[k]);
        assert_true(sol_part(run->sim, sol_find(run->sim, "a.u"), &part));
        assert_true(k == 1 ? part.states >= 2 : part.states <= 2);
    }
    restarts_are_counted(run, UNCOUPLED, 2);
    close_run(run);
}

/* ---- one switch among many relations ---- */

/* `blocks` times ten relations, and a lag whose input is switched now and then. */
static char *switch_among(int blocks)
{
    static const char block[] =
        "model Block\n"
        "implementation:\n"
        "  static Real x; static Real a; static Real b; static Real c; static Real d;\n"
        "  static Real e; static Real f; static Real g; static Real h; static Real k;\n"
        "  der(x = x, start << 1) = k;\n"
        "  a = 2*x; b = a + x; c = b - a; d = c*x; e = d + a; f = e - d; g = f + 1; h = g - 1;\n"
        "  k = -h - time;\n"
        "end Block;\n"
        "model Switched\n"
        "implementation:\n"
        "  static Real x; static Integer n;\n"
        "  if sin(x = 100*time) > 0 then der(x = x) = 1 - x; else then der(x = x) = -x; end;\n"
        "  when x > 0.005 then n << pre(x = n) + 1; end;\n"
        "end Switched;\n"
        "model Top\n"
        "implementation:\n"
        "  static Switched s;\n";
    size_t room = sizeof block + 40 * (size_t)blocks + 40, n = sizeof block - 1;
    char *text = malloc(room);
    memcpy(text, block, n);
    for (int i = 0; i < blocks; i++)
        n += (size_t)snprintf(text + n, room - n, "  static Block b%d;\n", i);
    snprintf(text + n, room - n, "end Top;\n");
    return text;
}

static Run *run_switch(int blocks, SolSolver solver)
{
    Run *run = calloc(1, sizeof *run);
    char *text = switch_among(blocks);
    run->model = sol_load(&(SolLoad){.path = "Top.sol", .text = text, .length = strlen(text)});
    run->sim = sol_create(
        run->model, NULL,
        &(SolOptions){.stop = 0.3, .interval = 0.3, .solver = solver, .engine = SOL_ENGINE_INTERP});
    created(run);
    run_to(run, 0.3);
    free(text);
    return run;
}

/* What an event does, in nodes and relations, is the same whatever else there is. */
static void an_event_costs_what_it_touches(void **state)
{
    (void)state;
    const SolSolver solvers[] = {SOL_SOLVER_IDA, SOL_SOLVER_RK};
    for (int k = 0; k < 2; k++) {
        Run *small = run_switch(10, solvers[k]);
        assert_true(small->n_events >= 10);
        for (int blocks = 100; blocks <= (k ? 10000 : 1000); blocks *= 10) {
            Run *large = run_switch(blocks, solvers[k]);
            uint64_t most = 0;
            assert_int_equal(large->n_events, small->n_events);
            for (uint32_t i = 0; i < small->n_events; i++) {
                assert_int_equal(large->event[i].parts_restarted, small->event[i].parts_restarted);
                assert_int_equal(large->event[i].visited, small->event[i].visited);
                assert_int_equal(large->event[i].touched, small->event[i].touched);
                most = most > large->event[i].touched ? most : large->event[i].touched;
            }
            assert_true(most > 0 && most < 60);
            printf("%d relations: at most %llu nodes touched by an event\n", 10 * blocks,
                   (unsigned long long)most);
            close_run(large);
        }
        close_run(small);
    }
}

/* ---- what the clock changes ---- */

enum { COPIES = 30 };
static const double PERIOD = 0.2, COPIES_STOP = 2;

/* Copies of a model One with a parameter of its own each, and what its x is in the end. */
typedef struct Clocked {
    const char *head;
    double (*given)(int copy);
    double (*value)(int copy, double stop);
    unsigned more; /* steps that all together may take, beside those that each takes alone */
} Clocked;

static double phase_of(int i)
{
    return 0.003 * i + 0.001;
}

/* x' = s - x, where s is 1 in the first half of each period and 0 in the second, from 0 on. */
static double thrown_value(int i, double stop)
{
    double half = PERIOD / 2, time = 0, x = 0;
    for (int k = 1; time < stop; k++) {
        double next = fmin(k * half - phase_of(i), stop), s = k % 2;
        x = s + (x - s) * exp(time - next);
        time = next;
    }
    return x;
}

static double interval_of(int i)
{
    return 0.1 + 0.007 * i;
}

/* x' = u - x, u held between samples at multiples of the interval, there 1 - x/2. */
static double sampled_value(int i, double stop)
{
    double x = 0;
    for (int k = 0; k * interval_of(i) < stop; k++) {
        double u = 1 - x / 2, next = fmin((k + 1) * interval_of(i), stop);
        x = u + (x - u) * exp(k * interval_of(i) - next);
    }
    return x;
}

static const Clocked
    THROWN = {"model One\ninterface:\n  parameter Real p;\n  static Real x;\n"
              "implementation:\n  static Real s;\n"
              "  if mod(time + p, 0.2) < 0.1 then\n    s = 1;\n  else then\n    s = 0;\n  end if;\n"
              "  der(x = x, start << 0) = s - x;\nend One;\nmodel Top\nimplementation:\n",
              phase_of, thrown_value, 2 * COPIES *COPIES},
    SAMPLED = {"model One\ninterface:\n  parameter Real p;\n  static Real x;\n"
               "implementation:\n  static Real u;\n"
               "  when sample(0, p) then\n    u << 1 - x/2;\n  end when;\n"
               "  der(x = x, start << 0) = u - x;\nend One;\nmodel Top\nimplementation:\n",
               interval_of, sampled_value, 0};

static Run *run_clocked(const Clocked *kind, int from, int to, SolSolver solver)
{
    char text[1000 + 60 * COPIES];
    size_t n = (size_t)snprintf(text, sizeof text, "%s", kind->head);
    for (int i = from; i < to; i++)
        n += (size_t)snprintf(text + n, sizeof text - n, "  static One t%d{p << %.3f};\n", i,
                              kind->given(i));
    snprintf(text + n, sizeof text - n, "end Top;\n");
    Run *run = calloc(1, sizeof *run);
    run->model = sol_load(&(SolLoad){.path = "Top.sol", .text = text, .length = strlen(text)});
    run->sim = sol_create(run->model, NULL,
                          &(SolOptions){.stop = COPIES_STOP,
                                        .interval = COPIES_STOP,
                                        .rtol = 1e-8,
                                        .solver = solver,
                                        .engine = SOL_ENGINE_INTERP});
    created(run);
    run_to(run, COPIES_STOP);
    return run;
}

static void value_is_right(const Run *run, const Clocked *kind, int i)
{
    char path[20];
    double value;
    snprintf(path, sizeof path, "t%d.x", i);
    assert_int_equal(sol_read(run->sim, sol_find(run->sim, path), &value), SOL_OK);
    assert_true(fabs(value - kind->value(i, COPIES_STOP)) < 1e-6);
}

/* Each has the steps that it has alone. Those of switches end at the first event of each of the others, too, when
 * nobody knows yet whom it concerns. */
static void a_clock_stops_whom_it_concerns(void **state)
{
    (void)state;
    const Clocked *kinds[] = {&THROWN, &SAMPLED};
    const SolSolver solvers[] = {SOL_SOLVER_IDA, SOL_SOLVER_RK};
    for (int k = 0; k < 4; k++) {
        const Clocked *kind = kinds[k / 2];
        uint64_t alone = 0;
        for (int i = 0; i < COPIES; i++) {
            Run *run = run_clocked(kind, i, i + 1, solvers[k % 2]);
            value_is_right(run, kind, i);
            alone += stats_of(run).steps;
            close_run(run);
        }
        Run *all = run_clocked(kind, 0, COPIES, solvers[k % 2]);
        for (int i = 0; i < COPIES; i++)
            value_is_right(all, kind, i);
        assert_true(stats_of(all).steps <= alone + kind->more);
        close_run(all);
    }
}

/* Nothing shows that the clock's second event concerns the part, whose slope has no value behind it. */
static void a_step_that_needs_the_stop_gets_it(void **state)
{
    (void)state;
    static const char text[] =
        "model Top\ninterface:\n  static Real x;\nimplementation:\n  static Boolean off;\n"
        "  if off then\n    der(x = x) = 0;\n  else then\n"
        "    der(x = x, start << 0) = sqrt(1 - time);\n  end if;\n"
        "  when floor(2*time) >= 2 then\n    off << true;\n  end when;\nend Top;\n";
    const SolSolver solvers[] = {SOL_SOLVER_IDA, SOL_SOLVER_RK, SOL_SOLVER_AUTO};
    for (int k = 0; k < 3; k++) {
        Run *run = calloc(1, sizeof *run);
        double value;
        run->model = sol_load(&(SolLoad){.path = "Top.sol", .text = text, .length = strlen(text)});
        run->sim = sol_create(
            run->model, NULL,
            &(SolOptions){.stop = 2, .interval = 0.1, .rtol = 1e-8, .solver = solvers[k]});
        created(run);
        run_to(run, 2);
        assert_int_equal(sol_read(run->sim, sol_find(run->sim, "x"), &value), SOL_OK);
        assert_true(fabs(value - 2.0 / 3) < 1e-5);
        close_run(run);
    }
}

/* ---- what is shown ---- */

typedef struct Shown {
    SolVar a, b;
    uint32_t points, gaps;
} Shown;

static bool wants_both(void *context, const SolVarInfo *info, const char *path)
{
    Shown *shown = context;
    if (strcmp(path, "a") == 0)
        shown->a = info->var;
    if (strcmp(path, "b") == 0)
        shown->b = info->var;
    return info->var == shown->a || info->var == shown->b;
}

/* Both are lines of time whatever the forty others do, and so is what the output shows of them. */
static bool shows_lines(void *context, const SolPoint *point)
{
    Shown *shown = context;
    double off = fabs(point->values[shown->a] - point->time) +
                 fabs(point->values[shown->b] - 2 * point->time);
    shown->points++;
    if (fabs(point->time * 4 - round(point->time * 4)) < 1e-12)
        shown->gaps += !(off < 1e-9);
    else if (!sol_unseen(point->values[shown->a]) && !sol_unseen(point->values[shown->b]))
        assert_true(off < 1e-9);
    return true;
}

/* Events of others at an output point, and at the end, hide nothing of what was asked for. */
static void output_points_show_all(void **state)
{
    (void)state;
    char text[4000];
    Shown shown = {0};
    size_t n = (size_t)snprintf(
        text, sizeof text,
        "model One\ninterface:\n  static Real x;\nimplementation:\n  static Real s;\n"
        "  when sample(0, 0.125) then\n    s << -x;\n  end when;\n"
        "  der(x = x, start << 1) = s;\nend One;\n"
        "model Top\ninterface:\n  static Real a;\n  static Real b;\nimplementation:\n"
        "  der(x = a, start << 0) = 1;\n  der(x = b, start << 0) = 2;\n");
    for (int i = 0; i < SOL_FEW_PARTS + 8; i++)
        n += (size_t)snprintf(text + n, sizeof text - n, "  static One t%d{};\n", i);
    snprintf(text + n, sizeof text - n, "end Top;\n");
    Run *run = calloc(1, sizeof *run);
    run->model = sol_load(&(SolLoad){.path = "Top.sol", .text = text, .length = strlen(text)});
    run->sim = sol_create(run->model, NULL, &(SolOptions){.stop = 1, .interval = 0.25});
    created(run);
    sol_set_output(run->sim, &(SolOutput){&shown, .birth = wants_both, .point = shows_lines});
    run_to(run, 1);
    assert_true(run->n_events >= 8 && shown.points >= 16);
    assert_int_equal(shown.gaps, 0);
    close_run(run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_clock_stops_whom_it_concerns),
        cmocka_unit_test(a_step_that_needs_the_stop_gets_it),
        cmocka_unit_test(output_points_show_all),
        cmocka_unit_test(each_steps_as_if_alone),
        cmocka_unit_test(parts_merge_and_split),
        cmocka_unit_test(an_event_costs_what_it_touches),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
