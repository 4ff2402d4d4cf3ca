/* Mechanics: impacts, their accumulation, constraints of index 3, states selected anew on the way.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/support/sim_lab.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static void near_to(double value, double expected, double tolerance)
{
    if (!(fabs(value - expected) <= tolerance))
        fail_msg("%.12g instead of %.12g (within %g)", value, expected, tolerance);
}

/* ---- bouncing ball ---- */

static void check_ball(SolSolver solver, double tolerance)
{
    SimLab *lab = sim_lab_open("mechanics.sol", "BouncingBall",
                               &(SolOptions){.stop = 3, .rtol = 1e-9, .solver = solver});
    double t1 = sqrt(2 / 9.81), e = 0.7, sum = 0, power = 1;
    assert_int_equal(sol_run_to(lab->sim, 2.55), SOL_OK);
    assert_true(lab->n_events >= 15);
    for (int n = 0; n < 15; n++) {
        near_to(lab->event_time[n], t1 * (1 + 2 * sum), tolerance);
        power *= e;
        sum += power;
    }
    assert_int_equal(sol_run_to(lab->sim, 3), SOL_NUMERICS);
    assert_true(sim_lab_said(lab, "h < 0"));
    assert_true(sim_lab_said(lab, "accumulate"));
    near_to(sol_time(lab->sim), t1 * (1 + e) / (1 - e), 5e-5);
    assert_int_equal(sol_run_to(lab->sim, 3), SOL_NUMERICS); /* goes no further */
    sim_lab_close(lab);
}

static void test_bouncing_ball_ida(void **state)
{
    (void)state;
    check_ball(SOL_SOLVER_IDA, 3e-9);
}

static void test_bouncing_ball_rk(void **state)
{
    (void)state;
    check_ball(SOL_SOLVER_RK, 1e-10);
}

/* ---- pendulum ---- */

/* The breaking pendulum by a fixed-step Runge-Kutta of order 4 in the angle. */
static void pendulum_at(double time, double *phi, double *w)
{
    double h = 1e-4, p = atan(1), q = 0;
    long n = lround(time / h);
    for (long i = 0; i < n; i++) {
        double a1 = q, b1 = -9.81 * sin(p);
        double a2 = q + h / 2 * b1, b2 = -9.81 * sin(p + h / 2 * a1);
        double a3 = q + h / 2 * b2, b3 = -9.81 * sin(p + h / 2 * a2);
        double a4 = q + h * b3, b4 = -9.81 * sin(p + h * a3);
        p += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
        q += h / 6 * (b1 + 2 * b2 + 2 * b3 + b4);
    }
    *phi = p;
    *w = q;
}

static void check_breaking(SolSolver solver)
{
    double phi, w;
    SimLab *lab = sim_lab_open("mechanics.sol", "BreakingPendulum",
                               &(SolOptions){.stop = 6, .rtol = 1e-9, .solver = solver});
    pendulum_at(4, &phi, &w);
    assert_int_equal(sim_lab_run(lab, 4), SOL_OK);
    near_to(sim_lab_value(lab, "x"), sin(phi), 1e-6);
    near_to(sim_lab_value(lab, "y"), -cos(phi), 1e-6);
    pendulum_at(5, &phi, &w);
    assert_int_equal(sim_lab_run(lab, 6), SOL_OK);
    near_to(sim_lab_value(lab, "x"), sin(phi) + w * cos(phi), 1e-6);
    near_to(sim_lab_value(lab, "y"), -cos(phi) + w * sin(phi) - 9.81 / 2, 1e-6);
    near_to(sim_lab_value(lab, "vy"), w * sin(phi) - 9.81, 1e-6);
    const SolEvent *last = &lab->event[lab->n_events - 1];
    assert_true(last->time == 5);
    assert_int_equal(last->states_before, 2);
    assert_int_equal(last->states_after, 4);
    sim_lab_close(lab);
}

static void test_breaking_pendulum_ida(void **state)
{
    (void)state;
    check_breaking(SOL_SOLVER_IDA);
}

static void test_breaking_pendulum_rk(void **state)
{
    (void)state;
    check_breaking(SOL_SOLVER_RK);
}

/* 100 swings, no drift away from the circle, hardly any of the energy. */
static void check_swings(SolSolver solver)
{
    double period = 2.0064 * 1.0400; /* about that of 45 degrees */
    SimLab *lab = sim_lab_open(
        "mechanics.sol", "Swing",
        &(SolOptions){
            .stop = 100 * period, .steps = 2000, .max_step = 1, .rtol = 1e-9, .solver = solver});
    sim_lab_track(lab, "off");
    sim_lab_track(lab, "energy");
    assert_int_equal(sim_lab_run(lab, 100 * period), SOL_OK);
    assert_true(lab->most[0] < 1e-9 && lab->least[0] > -1e-9);
    near_to(lab->most[1], -9.81 * sqrt(0.5), 1e-5);
    near_to(lab->least[1], -9.81 * sqrt(0.5), 1e-5);
    sim_lab_close(lab);
}

static void test_swings_ida(void **state)
{
    (void)state;
    check_swings(SOL_SOLVER_IDA);
}

static void test_swings_rk(void **state)
{
    (void)state;
    check_swings(SOL_SOLVER_RK);
}

/* Round and round: every quarter of a turn other states. */
static void test_states_selected_anew(void **state)
{
    (void)state;
    SimLab *lab = sim_lab_open("mechanics.sol", "Round", &(SolOptions){.stop = 5, .rtol = 1e-9});
    sim_lab_track(lab, "off");
    sim_lab_track(lab, "energy");
    assert_int_equal(sim_lab_run(lab, 5), SOL_OK);
    assert_true(lab->n_events >= 10);
    assert_true(lab->most[0] < 1e-9 && lab->least[0] > -1e-9);
    near_to(lab->most[1], 14.69, 1e-5);
    near_to(lab->least[1], 14.69, 1e-5);
    for (uint32_t i = 0; i < lab->n_events; i++) {
        assert_int_equal(lab->event[i].states_after, 2);
        assert_int_equal(lab->event[i].entered + lab->event[i].removed, 0);
    }
    sim_lab_close(lab);
}

/* Forty links in Cartesian coordinates: all constraints of index 3, one part of 80 states. Energy
 * stays, the links keep their length, and looking for singular choices of states is no work to
 * speak of (it was the square of the size after each step). */
static char *chain_model(int n)
{
    char *text = NULL;
    size_t size;
    FILE *f = open_memstream(&text, &size);
    fprintf(f, "model Chain\nimplementation:\n  static Real energy; static Real off;\n"
               "  static Real x0; static Real y0;\n  x0 = 0;\n  y0 = 0;\n");
    for (int i = 1; i <= n; i++)
        fprintf(f,
                "  static Real x%d; static Real y%d; static Real vx%d; static Real vy%d; "
                "static Real f%d;\n",
                i, i, i, i, i);
    for (int i = 1; i <= n; i++) {
        fprintf(f, "  vx%d = der(x = x%d, start << %g);\n", i, i, 0.8 * i);
        fprintf(f, "  vy%d = der(x = y%d, start << %g);\n", i, i, -0.6 * i);
        for (int k = 0; k < 2; k++) {
            char c = "xy"[k];
            fprintf(f, "  der(x = v%c%d) = -f%d*(%c%d - %c%d)", c, i, i, c, i, c, i - 1);
            if (i < n)
                fprintf(f, " + f%d*(%c%d - %c%d)", i + 1, c, i + 1, c, i);
            fprintf(f, k ? " - 9.81;\n" : ";\n");
        }
        fprintf(f, "  (x%d - x%d)^2 + (y%d - y%d)^2 = 1;\n", i, i - 1, i, i - 1);
    }
    fprintf(f, "  off = (x%d - x%d)^2 + (y%d - y%d)^2 - 1;\n  energy = 0", n, n - 1, n, n - 1);
    for (int i = 1; i <= n; i++)
        fprintf(f, " + (vx%d^2 + vy%d^2)/2 + 9.81*y%d", i, i, i);
    fprintf(f, ";\nend Chain;\n");
    fclose(f);
    return text;
}

static void test_chain(void **state)
{
    (void)state;
    enum { N = 40 };
    char *text = chain_model(N);
    double energy = -9.81 * 0.6 * N * (N + 1) / 2;
    for (int k = 0; k < 2; k++) {
        SimLab *lab =
            sim_lab_text(text, &(SolOptions){.stop = 1,
                                             .steps = 10,
                                             .rtol = 1e-8,
                                             .solver = k ? SOL_SOLVER_RK : SOL_SOLVER_IDA});
        SolStats stats;
        sim_lab_track(lab, "energy");
        sim_lab_track(lab, "off");
        assert_int_equal(sim_lab_run(lab, 1), SOL_OK);
        near_to(lab->least[0], energy, 1e-7 * -energy);
        near_to(lab->most[0], energy, 1e-7 * -energy);
        assert_true(lab->most[1] < 1e-9 && lab->least[1] > -1e-9);
        sol_stats(lab->sim, &stats);
        assert_int_equal(stats.states, 2 * N);
        sim_lab_close(lab);
    }
    free(text);
}

/* Against Lagrangian mechanics computed independently: when the rope is taut, and how fast then. */
static void check_arm(SolSolver solver)
{
    SimLab *lab = sim_lab_open("mechanics.sol", "ThrowingArm",
                               &(SolOptions){.stop = 0.6, .rtol = 1e-8, .solver = solver});
    assert_int_equal(sim_lab_run(lab, 0.6), SOL_OK);
    assert_int_equal(lab->n_events, 1);
    near_to(lab->event_time[0], 0.4713538004, 1e-7);
    near_to(sim_lab_value(lab, "wTaut"), 1.610260652953, 1e-6);
    near_to(sim_lab_value(lab, "uTaut"), -0.666793745044, 1e-6);
    sim_lab_close(lab);
}

static void test_throwing_arm(void **state)
{
    (void)state;
    check_arm(SOL_SOLVER_IDA);
    check_arm(SOL_SOLVER_RK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bouncing_ball_ida),
        cmocka_unit_test(test_bouncing_ball_rk),
        cmocka_unit_test(test_breaking_pendulum_ida),
        cmocka_unit_test(test_breaking_pendulum_rk),
        cmocka_unit_test(test_throwing_arm),
        cmocka_unit_test(test_chain),
        cmocka_unit_test(test_swings_ida),
        cmocka_unit_test(test_swings_rk),
        cmocka_unit_test(test_states_selected_anew),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
