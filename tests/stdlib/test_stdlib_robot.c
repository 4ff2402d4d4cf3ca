/* test_stdlib_robot.c: the arm of Robot -> the same arm in minimal coordinates, integrated beside by another method; what is iterated;
 * power and energy. */
#include "tests/support/trial.h"

#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <setjmp.h>
#include <string.h>
#include <cmocka.h>

enum { AXES = 6, PER_AXIS = 11, STATES = AXES * PER_AXIS };
enum { PHI, W, ROTOR, OMEGA, CURRENT, SMOOTH, SMOOTH_V, SPEED, SENSED, BY_SPEED, BY_CURRENT };

static const double start[AXES] = {0.2, 0.5, 0.4, 0.3, 0.2, 0.1};
static const double ratio[AXES] = {120, 120, 100, 100, 80, 80};
static const double stiff[AXES] = {2e6, 1e6, 3e5, 6e4, 1e4, 2e3};
static const double gain[AXES] = {1.9, 0.9, 0.4, 0.13, 0.08, 0.06};
static const double length[AXES] = {0.4, 0.5, 0.4, 0.3, 0.2, 0.1};
static const double mass[AXES] = {12, 10, 7, 4, 2, 1};
static const double inertia[AXES] = {0.4, 0.3, 0.15, 0.06, 0.02, 0.005};
static const double swing[AXES] = {0.3, -0.4, 0.3, -0.3, 0.2, -0.2};

/* ---- the links: Lagrange's equations ---- */

/* A q'' = b, symmetric and definite: by elimination. */
static void solve(double a[AXES][AXES], double *b)
{
    for (int k = 0; k < AXES; k++)
        for (int i = k + 1; i < AXES; i++) {
            double f = a[i][k] / a[k][k];
            for (int j = k; j < AXES; j++)
                a[i][j] -= f * a[k][j];
            b[i] -= f * b[k];
        }
    for (int i = AXES; i-- > 0;) {
        for (int j = i + 1; j < AXES; j++)
            b[i] -= a[i][j] * b[j];
        b[i] /= a[i][i];
    }
}

/* Link i hangs on the end of link i - 1; all stand upright where their angles are 0 and turn clockwise. */
static void accelerate(const double *phi, const double *w, const double *torque, double *z)
{
    double a[AXES][AXES] = {{0}}, jx[AXES] = {0}, jy[AXES] = {0}, ax = 0, ay = 0, angle = 0,
           rate = 0;
    memcpy(z, torque, AXES * sizeof *z);
    for (int k = 0; k < AXES; k++) { /* jx[j], jy[j]: of the end of link k by hinge j */
        angle += phi[k];
        rate += w[k];
        for (int j = 0; j <= k; j++) {
            jx[j] += length[k] * cos(angle);
            jy[j] -= length[k] * sin(angle);
        }
        ax -= length[k] * rate * rate * sin(angle);
        ay -= length[k] * rate * rate * cos(angle);
        for (int i = 0; i <= k; i++) {
            for (int j = 0; j <= k; j++)
                a[i][j] += mass[k] * (jx[i] * jx[j] + jy[i] * jy[j]) + inertia[k];
            z[i] -= mass[k] * (jx[i] * ax + jy[i] * (ay + 9.81));
        }
    }
    solve(a, z);
}

/* ---- the axes ---- */

static double drive(int k, double t, const double *x, double *dx)
{
    double shaft =
        stiff[k] * (x[PHI] - x[ROTOR] / ratio[k]) + 0.001 * stiff[k] * (x[W] - x[OMEGA] / ratio[k]);
    double slip = fmax(-1, fmin(1, x[OMEGA] / 5));
    double wanted = ratio[k] * (start[k] + swing[k] * (1 - cos((k + 2) * t)));
    double e_speed = 15 * (x[SMOOTH] - x[ROTOR]) - x[SPEED];
    double e_current = gain[k] * (e_speed + x[BY_SPEED]) - x[SENSED];
    double u = 2 * (e_current + x[BY_CURRENT]);
    dx[PHI] = x[W];
    dx[ROTOR] = x[OMEGA];
    dx[OMEGA] = (0.1 * x[CURRENT] + shaft / ratio[k] - 0.02 * slip -
                 (1e-4 + 0.05 * 0.05 / 1e6) * x[OMEGA]) /
                1e-4;
    dx[CURRENT] = (u - (0.45 + 0.03 + 0.02) * x[CURRENT] - 0.1 * x[OMEGA]) / 0.002;
    dx[SMOOTH] = x[SMOOTH_V];
    dx[SMOOTH_V] = 1600 * (wanted - x[SMOOTH]) - 80 * x[SMOOTH_V];
    dx[SPEED] = (x[OMEGA] - x[SPEED]) / 0.001;
    dx[SENSED] = (x[CURRENT] - x[SENSED]) / 0.0003;
    dx[BY_SPEED] = e_speed / 0.1;
    dx[BY_CURRENT] = e_current / 0.01;
    return -shaft - 0.5 * x[W];
}

static void arm(double t, const double *x, double *dx)
{
    double phi[AXES], w[AXES], torque[AXES], z[AXES];
    for (int k = 0; k < AXES; k++) {
        phi[k] = x[k * PER_AXIS + PHI];
        w[k] = x[k * PER_AXIS + W];
        torque[k] = drive(k, t, x + k * PER_AXIS, dx + k * PER_AXIS);
    }
    accelerate(phi, w, torque, z);
    for (int k = 0; k < AXES; k++)
        dx[k * PER_AXIS + W] = z[k];
}

static void step(double t, double h, double *x)
{
    static const double at[4] = {0, 0.5, 0.5, 1}, by[4] = {1, 2, 2, 1};
    double sum[STATES] = {0}, there[STATES], slope[STATES] = {0};
    for (int s = 0; s < 4; s++) {
        for (int i = 0; i < STATES; i++)
            there[i] = x[i] + h * at[s] * slope[i];
        arm(t + at[s] * h, there, slope);
        for (int i = 0; i < STATES; i++)
            sum[i] += h / 6 * by[s] * slope[i];
    }
    for (int i = 0; i < STATES; i++)
        x[i] += sum[i];
}

static void begin(double *x)
{
    memset(x, 0, STATES * sizeof *x);
    for (int k = 0; k < AXES; k++) {
        x[k * PER_AXIS + PHI] = start[k];
        x[k * PER_AXIS + ROTOR] = x[k * PER_AXIS + SMOOTH] = ratio[k] * start[k];
    }
}

/* ---- tests ---- */

static void minimal_coordinates(void **state)
{
    (void)state;
    double x[STATES];
    const int steps = 20000;
    begin(x);
    for (int i = 0; i < steps; i++)
        step(i * 0.5 / steps, 0.5 / steps, x);
    Trial *t = trial_start("Robot.Examples.Arm", 0.5, 1e-8, NULL, NULL);
    trial_run(t, 0.5);
    for (int k = 0; k < AXES; k++) {
        const double *of = x + k * PER_AXIS;
        const struct {
            const char *name;
            double value;
        } all[] = {{"hinge.phi", of[PHI]},
                   {"hinge.w", of[W]},
                   {"drive.motor.rotor.phi", of[ROTOR]},
                   {"drive.motor.i", of[CURRENT]},
                   {"drive.control.by_speed.x", of[BY_SPEED]}};
        for (int i = 0; i < 5; i++) {
            char path[40];
            snprintf(path, sizeof path, "A%d.%s", k + 1, all[i].name);
            NEAR(trial_read(t, path), all[i].value, 1e-5 * (1 + fabs(all[i].value)));
        }
    }
    trial_end(t);
}

/* 66 states, and six accelerations that are iterated: one loop, a few rounds a step; a step of 1 ms follows the exact solution to
 * what the method allows. */
static void inline_steps(void **state)
{
    (void)state;
    double x[STATES];
    begin(x);
    for (int i = 0; i < 8000; i++)
        step(i * 0.2 / 8000, 0.2 / 8000, x);
    SolModel *model = sol_load(&(SolLoad){.path = SOLSTICE_SOURCE_DIR "/stdlib/Robot.sol",
                                          .stdlib = SOLSTICE_SOURCE_DIR "/stdlib"});
    Sol *sim = sol_create(model, "Robot.Examples.Arm",
                          &(SolOptions){.stop = 0.2,
                                        .steps = 2,
                                        .step = 1e-3,
                                        .solver = SOL_SOLVER_INLINE,
                                        .engine = SOL_ENGINE_INTERP});
    assert_non_null(sim);
    assert_int_equal(sol_run_to(sim, 0.2), SOL_OK);
    SolStats stats;
    sol_stats(sim, &stats);
    assert_int_equal(stats.states, STATES);
    assert_in_range(stats.relations, 1900, 2100);
    assert_true(stats.newton_iterations <= 6 * stats.steps && stats.error_test_failures == 0);
    for (int k = 0; k < AXES; k++) {
        char path[40];
        double value;
        snprintf(path, sizeof path, "A%d.hinge.phi", k + 1);
        assert_int_equal(sol_read(sim, sol_find(sim, path), &value), SOL_OK);
        NEAR(value, x[k * PER_AXIS + PHI], 1e-4);
    }
    sol_close(sim);
    sol_unload(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(minimal_coordinates),
                                       cmocka_unit_test(inline_steps)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
