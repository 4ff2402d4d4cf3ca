/* test_stdlib_planar.c: examples of Planar -> closed forms, numbers of an independent simulation,
 * and balances of energy and momentum. */
#include "tests/support/trial.h"

#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

static const double pi = 3.141592653589793;

/* Numbers from Lagrange's equations of each mode, with events located to rounding. */
static void trebuchet(void **state)
{
    static const double times[] = {0.4713538004, 1.2962284249, 1.5005689546};
    static const uint32_t states[] = {4, 6, 10, 10};
    (void)state;
    Trial *t = trial_start("Planar.Examples.Trebuchet", 2, 1e-8, NULL, NULL);
    NEAR(trial_at(t, 0.4713537, "R1.w"), 1.610260652953, 1e-5);
    NEAR(trial_at(t, 0.4713540, "R1.w"), 1.531036916885, 1e-5);
    NEAR(trial_read(t, "R2.w"), -0.635975293575, 1e-5);
    NEAR(trial_read(t, "projectile.w"), 1.046729320727, 1e-5);
    NEAR(trial_at(t, 1.2962285, "projectile.px"), -5.188863302622, 2e-5);
    NEAR(trial_read(t, "projectile.py"), 24.091599799624, 2e-5);
    NEAR(trial_read(t, "projectile.vx"), 92.979604893, 1e-4);
    NEAR(trial_read(t, "projectile.vy"), 51.586753754, 1e-4);
    NEAR(trial_at(t, 1.500568, "R1.w"), 2.204684156, 2e-5);
    NEAR(trial_at(t, 1.500570, "R1.w"), 0.905523362240, 2e-5);
    NEAR(trial_at(t, 2, "R1.phi"), 1.911891206637, 1e-5);
    NEAR(trial_read(t, "R2.phi"), -2.648887693105, 1e-5);
    NEAR(trial_read(t, "R1.w"), -2.679031952183, 1e-4);
    NEAR(trial_read(t, "projectile.px"), 60.24753968554, 1e-4);
    NEAR(trial_read(t, "projectile.py"), 57.96747156493, 1e-4);
    assert_int_equal(t->n_events, 3);
    for (int i = 0; i < 3; i++) {
        NEAR(t->event[i].time, times[i], 1e-6);
        assert_int_equal(t->event[i].states_before, states[i]);
        assert_int_equal(t->event[i].states_after, states[i + 1]);
    }
    trial_end(t);
}

/* The same along the way, every 0.2 s. */
static void trebuchet_trajectory(void **state)
{
    static const char *paths[] = {"R1.phi", "R2.phi", "R1.w", "projectile.px", "projectile.py"};
    static const double expected[10][5] = {
        {-1.03040829426, -0.0130808666466, 0.697763253585, -1, 0},
        {-0.821135644927, -0.0709318608197, 1.38698836648, -1, 0},
        {-0.494964789896, -0.219476273308, 1.8606240582, -2.81927740833, 0.612315577117},
        {-0.0856582507511, -0.522675528556, 2.20717916857, -6.62544719792, 1.99153847784},
        {0.391929452683, -1.06501801694, 2.63548157702, -11.637729545, 6.24254829888},
        {1.06303809395, -2.12399561097, 4.73007137922, -11.8621346545, 17.7675096183},
        {1.86497661375, -3.48091378815, 2.68478227559, 4.45977674998, 29.3920188037},
        {2.18102651323, -3.7657971607, 0.551753345129, 23.0556977285, 39.3095697241},
        {2.1974890536, -3.46676879761, -0.477002296388, 41.651618707, 48.8347206445},
        {1.91189120664, -2.6488876931, -2.67903195218, 60.2475396855, 57.9674715649}};
    (void)state;
    Trial *t = trial_start("Planar.Examples.Trebuchet", 2, 1e-8, NULL, NULL);
    for (int i = 0; i < 10; i++) {
        trial_run(t, 0.2 * (i + 1));
        for (int k = 0; k < 5; k++)
            if (trial_has(t, paths[k])) /* the projectile has its place from the rope on */
                NEAR(trial_read(t, paths[k]), expected[i][k], 1e-5 * (0.1 + fabs(expected[i][k])));
    }
    assert_true(trial_has(t, "projectile.px"));
    trial_end(t);
}

static double trebuchet_energy(Trial *t)
{
    double vx = trial_read(t, "projectile.vx"), vy = trial_read(t, "projectile.vy");
    double w = trial_read(t, "projectile.w");
    return trial_read(t, "tip.energy") + trial_read(t, "weight.energy") + 15 * (vx * vx + vy * vy) +
           w * w + 30 * 9.81 * trial_read(t, "projectile.py");
}

/* Energy stays in each of the four phases, and both inelastic impulses take some away. */
static void trebuchet_phases(void **state)
{
    static const double phase[4][2] = {{0, 0.47}, {0.472, 1.296}, {1.297, 1.5}, {1.501, 2}};
    (void)state;
    Trial *t = trial_start("Planar.Examples.Trebuchet", 2, 1e-9, NULL, NULL);
    double before[4];
    for (int p = 0; p < 4; p++) {
        trial_run(t, phase[p][0]);
        before[p] = trebuchet_energy(t);
        for (int i = 1; i <= 20; i++) {
            trial_run(t, phase[p][0] + (phase[p][1] - phase[p][0]) * i / 20);
            NEAR(trebuchet_energy(t), before[p], 1e-5 * fabs(before[p]));
        }
    }
    assert_true(before[1] < before[0] - 1);
    NEAR(before[2], before[1], 1e-5 * fabs(before[1]));
    assert_true(before[3] < before[2] - 1);
    trial_end(t);
}

/* x = l sin(a), y = -l cos(a), a'' = -g sin(a); from the break on a parabola. */
static void pendulum_ode(double t, const double *x, double *dx)
{
    (void)t;
    dx[0] = x[1];
    dx[1] = -9.81 * sin(x[0]);
}

static void breaking_pendulum(void **state)
{
    (void)state;
    double a[2] = {pi / 4, 0};
    Trial *t = trial_start("Planar.Examples.BreakingPendulum", 6, 1e-10, NULL, NULL);
    trial_rk4(pendulum_ode, 2, a, 0, 5, 50000);
    double x = sin(a[0]), y = -cos(a[0]), vx = -y * a[1], vy = x * a[1];
    NEAR(trial_at(t, 4.9999999, "bob.fa.x"), x, 1e-6);
    NEAR(trial_at(t, 6, "bob.fa.x"), x + vx, 1e-6);
    NEAR(trial_read(t, "bob.fa.y"), y + vy - 9.81 / 2, 1e-6);
    NEAR(trial_read(t, "bob.vx"), vx, 1e-6);
    NEAR(trial_read(t, "bob.vy"), vy - 9.81, 1e-6);
    assert_int_equal(t->n_events, 1);
    assert_int_equal(t->event[0].states_before, 2);
    assert_int_equal(t->event[0].states_after, 6);
    trial_end(t);
}

static void double_pendulum(void **state)
{
    (void)state;
    Trial *t = trial_start("Planar.Examples.DoublePendulum", 5, 1e-9, NULL, NULL);
    double energy = trial_read(t, "bob1.energy") + trial_read(t, "bob2.energy");
    NEAR(trial_read(t, "R1.phi"), 1.5, 0);
    for (int i = 1; i <= 50; i++) {
        double now = trial_at(t, i * 0.1, "bob1.energy") + trial_read(t, "bob2.energy");
        NEAR(now, energy, 1e-5 * fabs(energy));
    }
    trial_end(t);
}

static void four_bar(void **state)
{
    (void)state;
    Trial *t = trial_start("Planar.Examples.FourBar", 3, 1e-9, NULL, NULL);
    double energy = trial_read(t, "B1.energy") + trial_read(t, "B2.energy");
    NEAR(trial_read(t, "R1.w"), -3, 1e-12);
    for (int i = 1; i <= 60; i++) {
        double now = trial_at(t, i * 0.05, "B1.energy") + trial_read(t, "B2.energy");
        NEAR(now, energy, 1e-6 * fabs(energy));
        double dx = trial_read(t, "R3.fb.x") - 2, dy = trial_read(t, "R3.fb.y");
        NEAR(dx * dx + dy * dy, 1.5 * 1.5, 1e-8);
        NEAR(trial_read(t, "R3.fa.x"), trial_read(t, "R3.fb.x"), 1e-8);
    }
    trial_end(t);
}

/* Energy falls at impacts only, the motion along the floor stays, and in the end the block lies. */
static void bouncing_block(void **state)
{
    (void)state;
    Trial *t = trial_start("Planar.Examples.BouncingBlock", 3, 1e-9, NULL, NULL);
    double energy = trial_read(t, "block.energy");
    for (int i = 1; i <= 300; i++) {
        double now = trial_at(t, i * 0.01, "block.energy");
        assert_true(now <= energy + 1e-6);
        NEAR(trial_read(t, "block.vx"), 0, 1e-9);
        energy = now;
    }
    NEAR(t->event[0].time, sqrt(2 * (1 - 0.1 * cos(0.2) - 0.5 * sin(0.2)) / 9.81), 1e-6);
    NEAR(trial_read(t, "block.fa.y"), 0.1, 1e-9);
    NEAR(trial_read(t, "block.fa.phi"), 0, 1e-9);
    NEAR(trial_read(t, "floor1.fa.fy") + trial_read(t, "floor2.fa.fy"), -9.81, 1e-6);
    trial_end(t);
}

/* Free fall until x*x + y*y = 1 at (0.6, -0.8); then only the part across the rope is left. */
static void ball_on_rope(void **state)
{
    (void)state;
    double fall = sqrt(2 * 0.8 / 9.81), v = -9.81 * fall;
    Trial *t = trial_start("Planar.Examples.BallOnRope", 3, 1e-9, NULL, NULL);
    NEAR(trial_at(t, fall + 1e-9, "ball.vx"), 0.8 * 0.6 * v, 1e-5);
    NEAR(trial_read(t, "ball.vy"), 0.6 * 0.6 * v, 1e-5);
    assert_int_equal(t->n_events, 1);
    NEAR(t->event[0].time, fall, 1e-7);
    assert_int_equal(t->event[0].states_before, 6);
    assert_int_equal(t->event[0].states_after, 4);
    double energy = trial_read(t, "ball.energy");
    for (int i = 5; i <= 30; i++) {
        NEAR(trial_at(t, i * 0.1, "ball.energy"), energy, 1e-5 * fabs(energy));
        NEAR(hypot(trial_read(t, "ball.fa.x"), trial_read(t, "ball.fa.y")), 1, 1e-9);
        assert_true(trial_read(t, "rope.f") > 0);
        NEAR(trial_read(t, "ball.w"), 1, 1e-9);
    }
    trial_end(t);
}

static void crane(void **state)
{
    (void)state;
    Trial *t = trial_start("Planar.Examples.Crane", 3, 1e-9, NULL, NULL);
    double energy = trial_read(t, "slider.energy") + trial_read(t, "load.energy") +
                    trial_read(t, "spring.energy");
    NEAR(trial_read(t, "rail.s"), 0.5, 1e-12);
    NEAR(trial_read(t, "R.phi"), 0.3, 1e-12);
    for (int i = 1; i <= 30; i++) {
        double now = trial_at(t, i * 0.1, "slider.energy") + trial_read(t, "load.energy") +
                     trial_read(t, "spring.energy");
        NEAR(now, energy, 1e-5 * fabs(energy));
        NEAR(trial_read(t, "slider.fa.y"), 0, 1e-12);
    }
    trial_end(t);
}

/* Angular momentum about the pivot, clockwise. */
static double momentum(Trial *t)
{
    static const char *const body[] = {"tip", "weight", "projectile"};
    static const double mass[] = {100, 10000, 30}, inertia[] = {10, 12000, 2};
    double sum = 0;
    for (int i = 0; i < 3; i++) {
        char name[40];
        snprintf(name, sizeof name, i < 2 ? "%s.fa.x" : "%s.px", body[i]);
        double x = trial_read(t, name);
        snprintf(name, sizeof name, i < 2 ? "%s.fa.y" : "%s.py", body[i]);
        double y = trial_read(t, name) - 9;
        snprintf(name, sizeof name, "%s.vx", body[i]);
        double vx = trial_read(t, name);
        snprintf(name, sizeof name, "%s.vy", body[i]);
        double vy = trial_read(t, name);
        snprintf(name, sizeof name, "%s.w", body[i]);
        sum += mass[i] * (y * vx - x * vy) + inertia[i] * trial_read(t, name);
    }
    return sum;
}

/* The stop of the counterweight acts while the projectile hangs on the rope: an impulse between
 * parts of the mechanism, which leaves the momentum about the pivot as it was. */
static void impulse_inside(void **state)
{
    (void)state;
    bool happened = true;
    Trial *t = trial_start("Planar.Examples.Trebuchet", 2, 1e-9, "R2.phi_min=-1", NULL);
    for (uint32_t i = 0; i < 100 && trial_read(t, "R2.fixated") == 0; i++)
        assert_int_equal(sol_run_to_event(t->sim, 2, &happened), SOL_OK);
    double time = sol_time(t->sim), after = momentum(t);
    NEAR(trial_read(t, "projectile.mode"), 1, 0);
    NEAR(trial_read(t, "R2.phi"), -1, 1e-12);
    trial_end(t);
    t = trial_start("Planar.Examples.Trebuchet", 2, 1e-9, "R2.phi_min=-1", NULL);
    trial_run(t, time - 1e-8);
    assert_true(trial_read(t, "R2.w") < -1);
    /* Weight changes it by less than 1e-8*m*g*x on the way. */
    NEAR(momentum(t), after, 1e-8 * 10000 * 9.81 * 5 + 1e-7 * fabs(after));
    trial_end(t);
}

static void stopped_pendulum(void **state)
{
    (void)state;
    Trial *t = trial_start("Extra.Stopped", 3, 1e-9, NULL, "extra.sol");
    NEAR(trial_at(t, 3, "bob.energy"), -2 * 9.81 * cos(0.5), 1e-6);
    NEAR(trial_read(t, "R.fixated"), 0, 0);
    assert_int_equal(t->n_events, 1);
    trial_end(t);
    t = trial_start("Extra.Stopped", 3, 1e-9, "phi_min=0.2", "extra.sol");
    NEAR(trial_at(t, 3, "R.phi"), 0.2, 0);
    NEAR(trial_read(t, "R.fa.t"), 2 * 9.81 * sin(0.2), 1e-9);
    assert_int_equal(t->event[0].states_after, 0);
    trial_end(t);
}

/* The rope stays as long as it is, the ball keeps what it had across the rope, energy is lost. */
static void impulse_along_rope(void **state)
{
    (void)state;
    bool happened = true;
    Trial *t = trial_start("Extra.StoppedRope", 1, 1e-9, NULL, "extra.sol");
    trial_run(t, 0.6);
    NEAR(trial_read(t, "rope.taut"), 1, 0);
    for (uint32_t i = 0; i < 100 && trial_read(t, "R.fixated") == 0; i++)
        assert_int_equal(sol_run_to_event(t->sim, 1, &happened), SOL_OK);
    double time = sol_time(t->sim), vx = trial_read(t, "ball.vx"), vy = trial_read(t, "ball.vy");
    double rx = trial_read(t, "ball.fa.x") - trial_read(t, "bob.fa.x");
    double ry = trial_read(t, "ball.fa.y") - trial_read(t, "bob.fa.y");
    double energy = trial_read(t, "ball.energy") + trial_read(t, "bob.energy");
    NEAR(hypot(rx, ry), 1, 1e-9);
    NEAR(rx * vx + ry * vy, 0, 1e-9);
    NEAR(trial_read(t, "bob.vx"), 0, 1e-9);
    trial_end(t);
    t = trial_start("Extra.StoppedRope", 1, 1e-9, NULL, "extra.sol");
    trial_run(t, time - 1e-8);
    NEAR(rx * trial_read(t, "ball.vy") - ry * trial_read(t, "ball.vx"), rx * vy - ry * vx, 1e-5);
    assert_true(trial_read(t, "ball.energy") + trial_read(t, "bob.energy") > energy + 0.1);
    trial_end(t);
}

static void impulse_in_loop(void **state)
{
    (void)state;
    Trial *t = trial_start("Extra.StoppedFourBar", 2, 1e-9, NULL, "extra.sol");
    NEAR(trial_at(t, 2, "R1.phi"), 0, 0);
    NEAR(trial_read(t, "R2.w"), 0, 1e-9);
    NEAR(trial_read(t, "R4.w"), 0, 1e-9);
    NEAR(trial_read(t, "R3.fa.x"), trial_read(t, "R3.fb.x"), 1e-9);
    assert_int_equal(t->n_events, 1);
    assert_int_equal(t->event[0].states_before, 2);
    assert_int_equal(t->event[0].states_after, 0);
    trial_end(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(trebuchet),
        cmocka_unit_test(trebuchet_trajectory),
        cmocka_unit_test(trebuchet_phases),
        cmocka_unit_test(double_pendulum),
        cmocka_unit_test(bouncing_block),
        cmocka_unit_test(ball_on_rope),
        cmocka_unit_test(crane),
        cmocka_unit_test(breaking_pendulum),
        cmocka_unit_test(four_bar),
        cmocka_unit_test(impulse_inside),

        cmocka_unit_test(stopped_pendulum),
        cmocka_unit_test(impulse_along_rope),
        cmocka_unit_test(impulse_in_loop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
