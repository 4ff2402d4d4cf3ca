/* Steps of fixed length: rows at all output points and at the stop, whatever the step; who looks
 * does not move the grid. The expectation is forward Euler by hand, on x' = -x. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/support/sim_lab.h"

#include <math.h>

static const char DECAY[] = "model M interface: static Real x; static Real double;\n"
                            "implementation: der(x = x, start << 1) = -x; double = 2*x; end M;\n";

enum { MOST = 600 };

typedef struct Rows {
    Sol *sim;
    uint32_t n;
    double time[MOST], value[MOST];
} Rows;

static void near_to(double value, double expected, double tolerance)
{
    if (!(fabs(value - expected) <= tolerance))
        fail_msg("%.17g instead of %.17g (within %g)", value, expected, tolerance);
}

/* The straight line between grid points: the last of these before `time`, and its slope. */
static double by_hand(double step, double stop, double time)
{
    double t = 0, x = 1;
    for (uint64_t k = 1;; k++) {
        double next = fmin(stop, (double)k * step);
        if (time <= next + 1e-12)
            return x - (time - t) * x;
        x -= (next - t) * x;
        t = next;
    }
}

static bool take_row(void *context, const SolPoint *point)
{
    Rows *rows = context;
    if (rows->n == MOST)
        return false;
    double x = point->values[sol_find(rows->sim, "x")];
    double twice = point->values[sol_find(rows->sim, "double")];
    near_to(twice, 2 * x, 1e-15);
    rows->time[rows->n] = point->time;
    rows->value[rows->n++] = x;
    return true;
}

static void check(double step, uint32_t steps, double stop)
{
    SimLab *lab = sim_lab_text(
        DECAY,
        &(SolOptions){.stop = stop, .steps = steps, .step = step, .solver = SOL_SOLVER_EULER});
    Rows *rows = test_calloc(1, sizeof *rows);
    rows->sim = lab->sim;
    sol_set_output(lab->sim, &(SolOutput){.context = rows, .point = take_row});
    assert_int_equal(sol_run_to(lab->sim, stop), SOL_OK);
    assert_int_equal(rows->n, steps + 1);
    assert_true(sol_time(lab->sim) == stop);
    assert_true(rows->time[steps] == stop);
    for (uint32_t i = 0; i < rows->n; i++) {
        near_to(rows->time[i], i * stop / steps, 1e-14 * stop);
        near_to(rows->value[i], by_hand(step, stop, rows->time[i]), 1e-12);
    }
    test_free(rows);
    sim_lab_close(lab);
}

static void test_rows(void **state)
{
    (void)state;
    static const double step[] = {1e9, 1, 0.7, 0.5, 0.3, 0.25, 0.1, 0.01, 1. / 3, 0.0999999};
    for (uint32_t i = 0; i < sizeof step / sizeof *step; i++)
        for (uint32_t steps = 1; steps <= 500; steps = 3 * steps + 1) {
            check(step[i], steps, 1);
            check(step[i], steps, 0.3);
            check(step[i], steps, 1.7);
        }
}

/* Who runs to a time between two points of the grid sees the line between them, and the grid stays;
 * who writes a value there begins a step there. */
static void test_run_to_between(void **state)
{
    (void)state;
    SimLab *lab =
        sim_lab_text(DECAY, &(SolOptions){.stop = 1, .step = 0.25, .solver = SOL_SOLVER_EULER});
    assert_int_equal(sim_lab_run(lab, 0.3), SOL_OK);
    assert_true(sol_time(lab->sim) == 0.3);
    near_to(sim_lab_value(lab, "x"), 0.75 * (1 - 0.05), 1e-15);
    near_to(sim_lab_value(lab, "double"), 2 * 0.75 * (1 - 0.05), 1e-15);
    assert_int_equal(sim_lab_run(lab, 0.35), SOL_OK);
    near_to(sim_lab_value(lab, "x"), 0.75 * (1 - 0.1), 1e-15);
    assert_int_equal(sim_lab_run(lab, 0.5), SOL_OK);
    near_to(sim_lab_value(lab, "x"), 0.75 * 0.75, 1e-15);
    assert_int_equal(sim_lab_run(lab, 0.6), SOL_OK);
    assert_int_equal(sol_write(lab->sim, sol_find(lab->sim, "x"), 2), SOL_OK);
    assert_int_equal(sim_lab_run(lab, 0.75), SOL_OK);
    near_to(sim_lab_value(lab, "x"), 2 * (1 - 0.15), 1e-15);
    assert_int_equal(sim_lab_run(lab, 1), SOL_OK);
    near_to(sim_lab_value(lab, "x"), 2 * (1 - 0.15) * 0.75, 1e-15);
    assert_int_equal(sim_lab_run(lab, 1.1), SOL_OK); /* beyond the stop time: as before */
    near_to(sim_lab_value(lab, "x"), 2 * (1 - 0.15) * 0.75 * 0.9, 1e-15);
    assert_int_equal(sim_lab_run(lab, 1.25), SOL_OK);
    near_to(sim_lab_value(lab, "x"), 2 * (1 - 0.15) * 0.75 * 0.75, 1e-15);
    sim_lab_close(lab);
}

/* The grid goes by its own points, however many are looked at, also through a loop that is not
 * linear; an event is taken at the first point of the grid not before it. */
static const char EVENT[] =
    "model M interface: static Real x; static Real y; static Boolean late; static Real seen;\n"
    "implementation:\n"
    "    der(x = x, start << 1) = -y;\n"
    "    y + y^3/10 = x;\n"
    "    when time >= 0.31 then seen << time; late << true; end when;\n"
    "end M;\n";

static double end_of(uint32_t steps)
{
    SimLab *lab = sim_lab_text(
        EVENT, &(SolOptions){.stop = 1, .steps = steps, .step = 0.2, .solver = SOL_SOLVER_EULER});
    assert_int_equal(sim_lab_run(lab, 1), SOL_OK);
    near_to(sim_lab_value(lab, "seen"), 0.4, 1e-15);
    assert_int_equal(lab->n_events, 1);
    double x = sim_lab_value(lab, "x");
    sim_lab_close(lab);
    return x;
}

static void test_looking(void **state)
{
    (void)state;
    double x = end_of(5);
    for (uint32_t steps = 1; steps < 50; steps += 7)
        assert_true(end_of(steps) == x);
}

/* Booleans and Integers have their new values where a step ends that shows the event; before it they had others. The
 * latch is set at 1 and reset at 2, k is 1, 2, 3 from there on. */
static const char FLANKS[] =
    "model M interface: static Boolean b; static Integer rises; static Integer turns; static "
    "Integer changes; static Boolean q;\n"
    " static Integer latched; static Real x; static Integer k; static Integer counted;\n"
    "implementation: der(x = x, start << 0.1) = 1; b << x >= 1 and x < 2; k << floor(x);\n"
    " q << time >= 1 and time < 1.5 or (pre(q) and time < 2);\n"
    " when edge(b) then rises << pre(rises) + 1; end; when b and not pre(b) then turns << "
    "pre(turns) + 1; end;\n"
    " when change(b) then changes << pre(changes) + 1; end; when change(q) then latched << "
    "pre(latched) + 1; end;\n"
    " when change(k) then counted << 10*pre(counted) + k; end;\n"
    "end M;\n";

static void test_flanks(void **state)
{
    (void)state;
    static const SolSolver solvers[] = {SOL_SOLVER_EULER, SOL_SOLVER_INLINE, SOL_SOLVER_IDA};
    for (uint32_t i = 0; i < sizeof solvers / sizeof *solvers; i++) {
        SimLab *lab =
            sim_lab_text(FLANKS, &(SolOptions){.stop = 3.5,
                                               .steps = 7,
                                               .step = solvers[i] == SOL_SOLVER_EULER ? 0.125 : 0,
                                               .solver = solvers[i]});
        assert_int_equal(sim_lab_run(lab, 3.5), SOL_OK);
        near_to(sim_lab_value(lab, "rises"), 1, 0);
        near_to(sim_lab_value(lab, "turns"), 1, 0);
        near_to(sim_lab_value(lab, "changes"), 2, 0);
        near_to(sim_lab_value(lab, "latched"), 2, 0);
        near_to(sim_lab_value(lab, "counted"), 123, 0);
        sim_lab_close(lab);
    }
}

/* At time 1 the condition has the value that it has behind it, whatever Integers are equal. */
static void test_boundary_beside_integers(void **state)
{
    (void)state;
    SimLab *lab =
        sim_lab_text("model M interface: static Integer s; static Integer t; implementation:\n"
                     " when Sample(interval = 0.25) then s << mod(pre(s) + 1, 4); end;\n"
                     " when s == 0 and time > 0.1 then t << pre(t) + 1; end; end M;\n",
                     &(SolOptions){.stop = 5.1, .steps = 3});
    assert_int_equal(sim_lab_run(lab, 5.1), SOL_OK);
    near_to(sim_lab_value(lab, "t"), 6, 0);
    sim_lab_close(lab);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_run_to_between),
        cmocka_unit_test(test_looking),
        cmocka_unit_test(test_flanks),
        cmocka_unit_test(test_boundary_beside_integers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
