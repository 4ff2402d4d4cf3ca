/* Circuits: four modes, dependent capacitors, ideal diode, resistor network, states that vanish. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/support/sim_lab.h"

#include <math.h>
#include <stdio.h>

static void near_to(double value, double expected, double tolerance)
{
    if (!(fabs(value - expected) <= tolerance))
        fail_msg("%.12g instead of %.12g (within %g)", value, expected, tolerance);
}

/* ---- four modes ---- */

/* Mode 1 from its start value: particular solution A cos + B sin of uC' = -uC - 10 cos w(t-5). */
static double four_modes(double t)
{
    double w = 5, a = -10 / (1 + w * w), b = a * w;
    double at5 = -10 * (1 - exp(-5));
    double at10 = a * cos(w * 5) + b * sin(w * 5) + (at5 - a) * exp(-5);
    double at15 = at10 - 100;
    if (t <= 5)
        return -10 * (1 - exp(-t));
    if (t <= 10)
        return a * cos(w * (t - 5)) + b * sin(w * (t - 5)) + (at5 - a) * exp(-(t - 5));
    if (t <= 15)
        return at10 - 20 * (t - 10);
    return at15 * exp(-(t - 15) / 11);
}

static void check_four_modes(SolSolver solver)
{
    SimLab *lab = sim_lab_open("circuits.sol", "FourModes",
                               &(SolOptions){.stop = 20, .rtol = 1e-8, .solver = solver});
    for (int t = 1; t <= 20; t++) {
        assert_int_equal(sim_lab_run(lab, t), SOL_OK);
        near_to(sim_lab_value(lab, "uC"), four_modes(t), 1e-5);
    }
    assert_int_equal(lab->n_events, 3);
    for (int k = 0; k < 3; k++)
        assert_true(lab->event_time[k] == 5 * (k + 1));
    assert_true(sim_lab_value(lab, "mode") == 3);
    sim_lab_close(lab);
}

static void test_four_modes_ida(void **state)
{
    (void)state;
    check_four_modes(SOL_SOLVER_IDA);
}

static void test_four_modes_rk(void **state)
{
    (void)state;
    check_four_modes(SOL_SOLVER_RK);
}

/* ---- index 2 ---- */

static void test_parallel_capacitors(void **state)
{
    (void)state;
    SimLab *lab =
        sim_lab_open("circuits.sol", "TwoCapacitors", &(SolOptions){.stop = 1, .rtol = 1e-8});
    for (int k = 1; k <= 10; k++) {
        assert_int_equal(sim_lab_run(lab, 0.1 * k), SOL_OK);
        near_to(sim_lab_value(lab, "u1"), 10 * (1 - exp(-0.1 * k / 0.3)), 1e-6);
        near_to(sim_lab_value(lab, "i2"), 2 * sim_lab_value(lab, "i1"), 1e-12);
    }
    SolStats stats;
    sol_stats(lab->sim, &stats);
    assert_int_equal(stats.states, 1);
    sim_lab_close(lab);
}

/* ---- diode ---- */

/* Computed independently (exact solution per phase, bisection): times of the diode, uC at the end.
 */
static const double DIODE[] = {0.014978709134, 0.020504039592, 0.034009117184,
                               0.040704444416, 0.053632707228, 0.060791030728,
                               0.073471178509, 0.080829506262, 0.093399584256};

/* uC and i by a fixed-step Runge-Kutta of order 4 from one of those times to the next. */
static void rectifier_slopes(double t, bool closed, const double *x, double *dx)
{
    dx[0] = (x[1] - x[0] / 50) / 0.001;
    dx[1] = closed ? (sin(100 * 3.141592653589793 * t) - 10 * x[1] - x[0]) / 0.2 : 0;
}

static void rectifier_at(double time, double *x)
{
    double t = 0, a[2], b[2], c[2], d[2], y[2];
    x[0] = x[1] = 0;
    for (int phase = 0; t < time; phase++) {
        bool closed = phase % 2 == 0;
        double end = phase < 9 ? fmin(DIODE[phase], time) : time, h = (end - t) / 2000;
        for (int n = 0; n < 2000; n++, t += h) {
            rectifier_slopes(t, closed, x, a);
            for (int k = 0; k < 2; k++)
                y[k] = x[k] + h / 2 * a[k];
            rectifier_slopes(t + h / 2, closed, y, b);
            for (int k = 0; k < 2; k++)
                y[k] = x[k] + h / 2 * b[k];
            rectifier_slopes(t + h / 2, closed, y, c);
            for (int k = 0; k < 2; k++)
                y[k] = x[k] + h * c[k];
            rectifier_slopes(t + h, closed, y, d);
            for (int k = 0; k < 2; k++)
                x[k] += h / 6 * (a[k] + 2 * b[k] + 2 * c[k] + d[k]);
        }
        t = end;
        x[1] = closed && end == time ? x[1] : 0;
    }
}

static void test_rectifier_trajectory(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        SimLab *lab = sim_lab_open(
            "circuits.sol", "Rectifier",
            &(SolOptions){.stop = 0.1, .rtol = 1e-8, .solver = k ? SOL_SOLVER_RK : SOL_SOLVER_IDA});
        for (int n = 1; n <= 50; n++) {
            double x[2], t = 0.002 * n;
            rectifier_at(t, x);
            assert_int_equal(sim_lab_run(lab, t), SOL_OK);
            near_to(sim_lab_value(lab, "uC"), x[0], 1e-5 * x[0]);
            near_to(sim_lab_value(lab, "i"), x[1], 1e-5 * x[1] + 1e-8);
        }
        sim_lab_close(lab);
    }
}

static void check_rectifier(SolSolver solver)
{
    SimLab *lab = sim_lab_open("circuits.sol", "Rectifier",
                               &(SolOptions){.stop = 0.1, .rtol = 1e-8, .solver = solver});
    assert_int_equal(sol_init(lab->sim), SOL_OK);
    assert_true(sim_lab_value(lab, "conducting") ==
                1); /* closes at 0+, in the updates of the start */
    assert_int_equal(sim_lab_run(lab, 0.1), SOL_OK);
    assert_int_equal(lab->n_events, 9);
    for (int k = 0; k < 9; k++) {
        near_to(lab->event_time[k], DIODE[k], 1e-7);
        assert_int_equal(lab->event[k].states_after, k % 2 ? 2 : 1);
    }
    near_to(sim_lab_value(lab, "uC"), 0.26739260751, 1e-6);
    sim_lab_close(lab);
}

static void test_rectifier_ida(void **state)
{
    (void)state;
    check_rectifier(SOL_SOLVER_IDA);
}

static void test_rectifier_rk(void **state)
{
    (void)state;
    check_rectifier(SOL_SOLVER_RK);
}

/* ---- no states at all ---- */

/* Node voltages by hand: v2 carries the current of every branch. */
static double network_v2(double t)
{
    double pi = 3.141592653589793;
    double u1 = 10 * sin(t * pi * 50), u2 = 5 * sin(t * pi * 30 + pi / 4),
           u3 = 16 * sin(t * pi * 20 + pi / 2), g = t > 0.05 ? 1. / 70 : 0;
    double up = u1 * g + u1 / 20 + u2 / 30 + u3 / 40 + u3 / 120;
    return up / (g + 1. / 20 + 1. / 30 + 1. / 40 + 1. / 120);
}

static void test_resistor_network(void **state)
{
    (void)state;
    SimLab *lab = sim_lab_open("circuits.sol", "Network", &(SolOptions){.stop = 0.1});
    for (int k = 1; k <= 20; k++) {
        double t = 0.1 * k / 20 + 1e-4;
        assert_int_equal(sim_lab_run(lab, t), SOL_OK);
        near_to(sim_lab_value(lab, "v2"), network_v2(t), 1e-12);
    }
    assert_int_equal(lab->n_events, 1);
    assert_true(lab->event_time[0] == 0.05);
    sim_lab_close(lab);
}

/* ---- structure ---- */

static void test_states_vanish(void **state)
{
    (void)state;
    SimLab *lab = sim_lab_open("circuits.sol", "Vanishing", &(SolOptions){.stop = 1});
    assert_int_equal(sim_lab_run(lab, 0.4), SOL_OK);
    near_to(sim_lab_value(lab, "x"), 4, 1e-10);
    assert_int_equal(sim_lab_run(lab, 1), SOL_OK);
    assert_true(sim_lab_value(lab, "x") == -5);
    assert_int_equal(lab->n_events, 1);
    assert_int_equal(lab->event[0].states_before, 1);
    assert_int_equal(lab->event[0].states_after, 0);
    assert_true(lab->event_time[0] == 0.5);
    sim_lab_close(lab);
}

static void test_boundary_at_start(void **state)
{
    (void)state;
    SimLab *lab = sim_lab_open("circuits.sol", "Boundary", &(SolOptions){.stop = 1});
    assert_int_equal(sol_init(lab->sim), SOL_OK);
    assert_true(sim_lab_value(lab, "above") == 1);
    assert_true(sim_lab_value(lab, "below") == 0);
    assert_int_equal(sim_lab_run(lab, 1), SOL_OK);
    assert_true(sim_lab_value(lab, "above") == 1);
    assert_true(sim_lab_value(lab, "below") == 0);
    assert_true(sim_lab_value(lab, "later") ==
                1); /* no slope at the start: found in the first step */
    sim_lab_close(lab);
}

static void test_same_bytes_twice(void **state)
{
    (void)state;
    uint64_t hash[2];
    for (int k = 0; k < 2; k++) {
        SimLab *lab = sim_lab_open("circuits.sol", "Rectifier", &(SolOptions){.stop = 0.1});
        assert_int_equal(sim_lab_run(lab, 0.1), SOL_OK);
        assert_true(lab->points > 500);
        hash[k] = lab->hash;
        sim_lab_close(lab);
    }
    assert_true(hash[0] == hash[1]);
}

static void test_starts_of_dummies(void **state)
{
    (void)state;
    const char *models[] = {"StartElsewhere", "StartElsewhereToo", "StartTwice"};
    for (int k = 0; k < 3; k++) {
        SimLab *lab = sim_lab_open("circuits.sol", models[k], NULL);
        assert_int_equal(sol_init(lab->sim), SOL_OK);
        near_to(sim_lab_value(lab, "a"), 33, 1e-12);
        near_to(sim_lab_value(lab, "b"), 3, 1e-12);
        assert_int_equal(sol_warning_count(lab->model), k == 2 ? 1 : 0);
        assert_int_equal(sim_lab_run(lab, 1), SOL_OK);
        sim_lab_close(lab);
    }
}

static void test_crossings_of_the_clock(void **state)
{
    (void)state;
    SimLab *lab = sim_lab_open("circuits.sol", "RestingStates", &(SolOptions){.stop = 1});
    SolStats stats;
    assert_int_equal(sim_lab_run(lab, 1), SOL_OK);
    sol_stats(lab->sim, &stats);
    assert_true(sim_lab_value(lab, "crossings") == 50);
    assert_int_equal(stats.restarts, 1); /* nothing that dynamics reads changes at these events */
    for (int k = 0; k < 50; k++)
        near_to(lab->event_time[k], 0.02 * k + 0.02 / 12, 1e-7);
    sim_lab_close(lab);
}

static bool last_side(void *context, const SolPoint *point)
{
    *(SolPoint *)context = *point;
    return true;
}

/* Failures say time, equation, instance and values, and the last point that is known is shown. */
static void test_failure(void **state)
{
    (void)state;
    SimLab *lab = sim_lab_open("circuits.sol", "Runs", &(SolOptions){.stop = 2});
    SolPoint last = {0};
    sol_set_output(lab->sim, &(SolOutput){.context = &last, .point = last_side});
    assert_int_equal(sol_run_to(lab->sim, 2), SOL_NUMERICS);
    assert_true(sim_lab_said(lab, "at time 0.99"));
    assert_true(sim_lab_said(lab, "part.x = "));
    assert_int_equal(last.side, SOL_AT_END);
    assert_true(last.time > 0.99 && last.time < 1);
    assert_int_equal(sol_status(lab->sim), SOL_NUMERICS);
    sim_lab_close(lab);
}

static void test_restless(void **state)
{
    (void)state;
    SimLab *lab = sim_lab_open("circuits.sol", "Restless", &(SolOptions){.max_updates = 50});
    assert_int_equal(sol_run_to(lab->sim, 1), SOL_NUMERICS);
    assert_true(sim_lab_said(lab, "after 50 updates"));
    assert_true(sim_lab_said(lab, "a == "));
    sim_lab_close(lab);
}

static void test_circular_condition(void **state)
{
    (void)state;
    SimLab *lab = sim_lab_open("circuits.sol", "Circular", NULL);
    assert_int_equal(sol_init(lab->sim), SOL_MODEL);
    assert_true(sim_lab_said(lab, "cannot be decided: its condition depends"));
    sim_lab_close(lab);
}

static void test_chatter(void **state)
{
    (void)state;
    SimLab *lab = sim_lab_open("circuits.sol", "Chatter", &(SolOptions){.stop = 1});
    assert_int_equal(sol_run_to(lab->sim, 1), SOL_NUMERICS);
    near_to(sol_time(lab->sim), 0.5, 1e-6);
    assert_true(sim_lab_said(lab, "x > 0"));
    sim_lab_close(lab);
}

/* Writing is an event: values that follow are there at once, the integrators start anew. */
static void test_write(void **state)
{
    (void)state;
    SimLab *lab = sim_lab_open("circuits.sol", "TwoCapacitors", &(SolOptions){.stop = 1});
    assert_int_equal(sim_lab_run(lab, 0.3), SOL_OK);
    const char *both[] = {"u1", "u2"};
    SolVarInfo info;
    for (int k = 0; k < 2; k++) {
        SolVar var = sol_find(lab->sim, both[k]);
        assert_true(sol_var_info(lab->sim, var, &info));
        assert_int_equal(sol_write(lab->sim, var, 4), info.state ? SOL_OK : SOL_USAGE);
    }
    assert_true(sim_lab_value(lab, "u1") == 4 && sim_lab_value(lab, "u2") == 4);
    near_to(sim_lab_value(lab, "iR"), 0.06, 1e-15);
    assert_int_equal(sim_lab_run(lab, 0.6), SOL_OK);
    near_to(sim_lab_value(lab, "u1"), 10 - 6 * exp(-1), 1e-4);
    sim_lab_close(lab);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_four_modes_ida),
        cmocka_unit_test(test_four_modes_rk),
        cmocka_unit_test(test_parallel_capacitors),
        cmocka_unit_test(test_rectifier_ida),
        cmocka_unit_test(test_rectifier_rk),
        cmocka_unit_test(test_rectifier_trajectory),
        cmocka_unit_test(test_resistor_network),
        cmocka_unit_test(test_states_vanish),
        cmocka_unit_test(test_boundary_at_start),
        cmocka_unit_test(test_same_bytes_twice),
        cmocka_unit_test(test_write),
        cmocka_unit_test(test_restless),
        cmocka_unit_test(test_chatter),
        cmocka_unit_test(test_circular_condition),
        cmocka_unit_test(test_crossings_of_the_clock),
        cmocka_unit_test(test_failure),
        cmocka_unit_test(test_starts_of_dummies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
