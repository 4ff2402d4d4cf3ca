/* Structure that changes: exchanged engines, births and deaths, samples, sticking, independent
 * parts. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/support/slow.h"
#include "tests/support/sim_lab.h"

#include <math.h>
#include <stdio.h>

static void near_to(double value, double expected, double tolerance)
{
    if (!(fabs(value - expected) <= tolerance))
        fail_msg("%.12g instead of %.12g (within %g)", value, expected, tolerance);
}

static void test_exchanged_engine(void **state)
{
    (void)state;
    double w[2][10], at[2];
    const char *models[] = {"MachineByBranch", "MachineByMove"};
    for (int k = 0; k < 2; k++) {
        SimLab *lab =
            sim_lab_open("changing.sol", models[k], &(SolOptions){.stop = 10, .rtol = 1e-9});
        for (int t = 0; t < 10; t++) {
            assert_int_equal(sim_lab_run(lab, t + 1), SOL_OK);
            w[k][t] = sim_lab_value(lab, "F.w");
        }
        assert_int_equal(lab->n_events, 1);
        at[k] = lab->event_time[0];
        sim_lab_close(lab);
    }
    near_to(at[0], at[1], 1e-9);
    for (int t = 0; t < 10; t++)
        near_to(w[0][t], w[1][t], 1e-9 * w[0][t]);
    near_to(w[0][9] - 40, (10 - at[0]) * 10 / 1.8, 1e-5); /* steady torque behind the gear */
}

/* x(k+1) = (x(k) + u(k)) e^T - u(k) with u(k) = -5 x(k), u(0) = 0 */
static void test_sampled_controller(void **state)
{
    (void)state;
    SimLab *lab = sim_lab_open("changing.sol", "Sampled", &(SolOptions){.stop = 2, .rtol = 1e-9});
    double x = 1, u = 0, growth = exp(0.1);
    for (int k = 1; k <= 20; k++) {
        x = (x + u) * growth - u;
        u = -5 * x;
        assert_int_equal(sim_lab_run(lab, 0.1 * k), SOL_OK);
        near_to(sim_lab_value(lab, "x"), x, 1e-7);
        near_to(sim_lab_value(lab, "u"), u, 1e-6);
        assert_true(sim_lab_value(lab, "n") == k);
    }
    assert_int_equal(lab->n_events, 20);
    for (uint32_t i = 0; i < lab->n_events; i++)
        assert_true(lab->event[i].restarted); /* u jumps, though it varies while it is set */
    sim_lab_close(lab);
}

/* Sticks until x = 1; slips on an ellipse around 0.5 until v = 1 again, which takes 2 pi - 2 atan
 * 0.5. */
static void test_stick_slip(void **state)
{
    (void)state;
    SimLab *lab =
        sim_lab_open("changing.sol", "StickSlip", &(SolOptions){.stop = 10, .rtol = 1e-9});
    assert_int_equal(sim_lab_run(lab, 10), SOL_OK);
    double slip = 8 * atan(1) - 2 * atan(0.5);
    assert_int_equal(lab->n_events, 3);
    near_to(lab->event_time[0], 1, 1e-7);
    near_to(lab->event_time[1], 1 + slip, 1e-6);
    near_to(lab->event_time[2], 2 + slip, 1e-6);
    assert_true(sim_lab_value(lab, "slips") == 2);
    assert_int_equal(lab->event[0].states_before, 1);
    assert_int_equal(lab->event[0].states_after, 2);
    sim_lab_close(lab);
}

/* Grows while there is food, then dies out; every division makes one more, every death one less. */
static void check_population(SolSolver solver, double step, double events)
{
    SimLab *lab =
        sim_lab_open("changing.sol", "Population",
                     &(SolOptions){.stop = 600, .steps = 1000, .solver = solver, .step = step});
    sim_lab_track(lab, "root.living");
    assert_int_equal(sim_lab_run(lab, 600), SOL_OK);
    assert_true(sim_lab_value(lab, "root.living") == 0);
    SolStats stats;
    sol_stats(lab->sim, &stats);
    near_to((double)stats.events_count, events, 0.03 * events);
    assert_true(stats.states_max > 150 && stats.states_max < 250);
    assert_true(stats.states <= 3); /* what is left of the tank */
    assert_true(lab->most[0] > 0.45 * events && lab->most[0] < 0.55 * events);
    near_to(sim_lab_value(lab, "tank.N"), 0.055, 0.001);
    sim_lab_close(lab);
}

static void test_population_rk(void **state)
{
    (void)state;
    check_population(SOL_SOLVER_RK, 0, 421);
}

static void test_population_ida(void **state)
{
    (void)state;
    check_population(SOL_SOLVER_IDA, 0, 421);
}

static void test_population_euler(void **state)
{
    (void)state;
    check_population(SOL_SOLVER_EULER, 0.02, 405); /* a grid point late each time */
}

/* A car every 2.6 s, each about 4 km at most 25 m/s: cars leave after 160 s and more. */
static void check_traffic(SolSolver solver)
{
    SimLab *lab =
        sim_lab_open("changing.sol", "Traffic",
                     &(SolOptions){.stop = 200, .steps = 400, .solver = solver, .step = 0.1});
    SolStats stats;
    assert_int_equal(sim_lab_run(lab, 150), SOL_OK);
    sol_stats(lab->sim, &stats);
    assert_int_equal(stats.states, 2 * (1 + (uint32_t)(150 / 2.6)));
    assert_int_equal(sim_lab_run(lab, 200), SOL_OK);
    sol_stats(lab->sim, &stats);
    assert_true(stats.states_max < 2 * 75 && stats.states < 2 * (1 + (uint32_t)(200 / 2.6)));
    assert_true(sim_lab_value(lab, "first.next.next.c.x") > sim_lab_value(lab, "first.next.c.x"));
    sim_lab_close(lab);
}

/* To the end of the thesis' run, 800 s: the road has filled, cars come and go in step. */
static void check_long_traffic(SolSolver solver)
{
    SolOptions options = {
        .stop = 800, .interval = 10, .max_step = 1, .solver = solver, .step = 0.1};
    SimLab *lab = sim_lab_open("changing.sol", "Traffic", &options);
    SolStats stats;
    assert_int_equal(sim_lab_run(lab, 800), SOL_OK);
    sol_stats(lab->sim, &stats);
    assert_true(stats.states_max >= 2 * 60 && stats.states_max <= 2 * 75);
    assert_true(stats.events_count > 2500 && stats.events_count < 4000);
    if (solver == SOL_SOLVER_EULER)
        assert_int_equal(stats.steps, 8000);
    sim_lab_close(lab);
}

static void test_long_traffic(void **state)
{
    (void)state;
    if (SLOW_BUILD)
        skip();
    check_long_traffic(SOL_SOLVER_EULER);
    check_long_traffic(SOL_SOLVER_IDA);
}

/* The library's road, whose drivers react late: jams, and up to about 100 cars. */
static void test_road(void **state)
{
    (void)state;
    if (SLOW_BUILD)
        skip();
    SolOptions options = {.stop = 800, .interval = 10, .solver = SOL_SOLVER_EULER, .step = 0.1};
    SimLab *lab = sim_lab_open("../../stdlib/Traffic.sol", "Traffic.Examples.Road", &options);
    SolStats stats;
    assert_int_equal(sim_lab_run(lab, 800), SOL_OK);
    sol_stats(lab->sim, &stats);
    assert_int_equal(stats.steps, 8000);
    assert_true(stats.states_max > 2 * 85 && stats.states_max < 2 * 110);
    sim_lab_close(lab);
}

static void test_traffic_euler(void **state)
{
    (void)state;
    check_traffic(SOL_SOLVER_EULER);
}

static void test_traffic_ida(void **state)
{
    (void)state;
    check_traffic(SOL_SOLVER_IDA);
}

/* Twenty rectifiers that know nothing of each other: each takes the steps it takes alone, and an
 * event in one restarts one. */
static void test_independent_parts(void **state)
{
    (void)state;
    SolOptions options = {.stop = 0.1, .steps = 50};
    SolStats alone, all;
    uint64_t steps = 0;
    SimLab *lab = sim_lab_open("changing.sol", "Alone", &options);
    assert_int_equal(sim_lab_run(lab, 0.1), SOL_OK);
    sol_stats(lab->sim, &alone);
    steps = 20 * alone.steps;
    sim_lab_close(lab);
    lab = sim_lab_open("changing.sol", "Twenty", &options);
    assert_int_equal(sim_lab_run(lab, 0.1), SOL_OK);
    sol_stats(lab->sim, &all);
    assert_int_equal(all.parts, 20);
    near_to((double)all.steps, (double)steps, 0.05 * (double)steps);
    assert_true(all.events_count >= 170);
    assert_int_equal(all.restarts, 20 + all.events_count);
    for (uint32_t i = 0; i < lab->n_events; i++)
        assert_int_equal(lab->event[i].parts_restarted, 1);
    sim_lab_close(lab);
}

static void test_parts_merge_and_split(void **state)
{
    (void)state;
    SimLab *lab = sim_lab_open("changing.sol", "Coupled", &(SolOptions){.stop = 0.1});
    SolStats stats;
    const double times[] = {0.01, 0.03, 0.06};
    const uint32_t parts[] = {2, 1, 2};
    for (int k = 0; k < 3; k++) {
        assert_int_equal(sim_lab_run(lab, times[k]), SOL_OK);
        sol_stats(lab->sim, &stats);
        assert_int_equal(stats.parts, parts[k]);
    }
    assert_int_equal(sim_lab_run(lab, 0.1), SOL_OK);
    sim_lab_close(lab);
}

/* A condition is born while one of its two operands stands still; that begins to move, or to follow
 * the clock alone, and the condition stays what it is: its events are found all the same. */
static void test_operand_begins_to_vary(void **state)
{
    (void)state;
    const char *moving[] = {"sin(x = time)", "time - 0.3"};
    const double expected[] = {1.1197695149986342, 1.2};
    for (int i = 0; i < 2; i++) {
        char text[800];
        snprintf(text, sizeof text,
                 "model Late\n"
                 "implementation:\n"
                 "  static Real x; static Real y; static Real at; static Real n;\n"
                 "  der(x = x, start = 1) = -x;\n"
                 "  if time > 1 then y = %s; else then y = 0; end;\n"
                 "  if time > 0.5 then\n"
                 "    when y > 0.9 and x < 10 then n << pre(n) + 1; at << time; end;\n"
                 "  end;\n"
                 "end Late;\n",
                 moving[i]);
        SimLab *lab = sim_lab_text(text, &(SolOptions){.stop = 3, .steps = 3});
        assert_int_equal(sim_lab_run(lab, 3), SOL_OK);
        near_to(sim_lab_value(lab, "n"), 1, 0);
        near_to(sim_lab_value(lab, "at"), expected[i], 1e-9);
        sim_lab_close(lab);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_exchanged_engine),
        cmocka_unit_test(test_sampled_controller),
        cmocka_unit_test(test_stick_slip),
        cmocka_unit_test(test_population_rk),
        cmocka_unit_test(test_population_ida),
        cmocka_unit_test(test_population_euler),
        cmocka_unit_test(test_traffic_euler),
        cmocka_unit_test(test_long_traffic),
        cmocka_unit_test(test_road),
        cmocka_unit_test(test_traffic_ida),
        cmocka_unit_test(test_independent_parts),
        cmocka_unit_test(test_parts_merge_and_split),
        cmocka_unit_test(test_operand_begins_to_vary),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
