/* test_stdlib_shafts.c: examples of Rotational and Translational -> closed forms, references
 * integrated beside, and what must hold between force and speed in a contact. */
#include "tests/support/trial.h"

#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

static const double pi = 3.141592653589793;

/* ---- Rotational ---- */

/* Motor and first load are one inertia of 2 + 100*0.1: phi2, phi3, w2, w3. */
static void geared_ode(double t, const double *x, double *dx)
{
    double spring = 1e4 * (x[1] - x[0]);
    dx[0] = x[2];
    dx[1] = x[3];
    dx[2] = (100 * sin(10 * pi * t) + spring - 10 * x[2]) / 12;
    dx[3] = -spring / 2;
}

static void geared_drive(void **state)
{
    (void)state;
    double x[4] = {0};
    Trial *t = trial_start("Rotational.Examples.GearedDrive", 1, 1e-10, NULL, NULL);
    trial_rk4(geared_ode, 4, x, 0, 1, 100000);
    NEAR(trial_at(t, 1, "load1.phi"), x[0], 1e-7);
    NEAR(trial_read(t, "load2.phi"), x[1], 1e-7);
    NEAR(trial_read(t, "load1.w"), x[2], 1e-6);
    NEAR(trial_read(t, "load2.w"), x[3], 1e-6);
    NEAR(trial_read(t, "motor.phi"), 10 * x[0], 1e-6);
    trial_end(t);
}

/* Modes of the three clutches and when they change. Every sticking clutch takes two states. */
static void coupled_clutches(void **state)
{
    static const struct {
        double time;
        int mode[3];
        uint32_t states;
    } expected[] = {
        {0.4, {-1, -1, 2}, 8},         {0.709621464, {-1, 0, 2}, 6}, {0.791658284, {0, 0, 2}, 4},
        {0.831108506, {-1, 0, 2}, 6},  {0.9, {-1, 0, -1}, 6},        {0.906849138, {0, 0, -1}, 4},
        {1.000295860, {-1, 0, -1}, 6}, {1.143969630, {-1, 0, 0}, 4}, {1.25, {2, 0, 0}, 4},
    };
    (void)state;
    Trial *t = trial_start("Rotational.Examples.CoupledClutches", 1.5, 1e-9, NULL, NULL);
    NEAR(trial_read(t, "clutch1.mode"), -1, 0);
    NEAR(trial_read(t, "clutch2.mode"), 2, 0);
    for (uint32_t i = 0; i < 9; i++) {
        double after = expected[i].time + 1e-4;
        NEAR(trial_at(t, after, "clutch1.mode"), expected[i].mode[0], 0);
        NEAR(trial_read(t, "clutch2.mode"), expected[i].mode[1], 0);
        NEAR(trial_read(t, "clutch3.mode"), expected[i].mode[2], 0);
    }
    NEAR(trial_at(t, 1.5, "J1.w"), 3.24705, 3e-5);
    NEAR(trial_read(t, "J1.phi"), 7.48611, 3e-5);
    assert_int_equal(t->n_events, 9);
    for (uint32_t i = 0; i < 9; i++) {
        NEAR(t->event[i].time, expected[i].time, 1e-5);
        assert_int_equal(t->event[i].states_after, expected[i].states);
    }
    /* Only the drive changes the sum of all momenta. */
    double sum = trial_read(t, "J1.w") + trial_read(t, "J2.w") + trial_read(t, "J3.w") +
                 trial_read(t, "J4.w");
    NEAR(sum, 10 + (1 - cos(15 * pi)) / pi, 1e-6);
    trial_end(t);
}

/* One gear: 43.2 dw/dt = 390 - w/2. Then the second clutch slips with 400 N.m until speeds meet. */
static void drive_train(void **state)
{
    (void)state;
    Trial *t = trial_start("Rotational.Examples.DriveTrain", 4, 1e-10, NULL, NULL);
    double w = 780 * (1 - exp(-1 / 43.2)), crank = 4 * w, slip = 0, h = 1e-6;
    NEAR(trial_at(t, 1, "vehicle.w"), 780 * (1 - exp(-0.5 / 43.2)), 1e-6);
    trial_run(t, 2.5);
    for (; crank > 2 * w; slip += h) {
        w += h * (790 - 0.5 * w) / 40;
        crank -= h * 300 / 0.2;
    }
    assert_int_equal(t->n_events, 2);
    NEAR(t->event[1].time, 2 + slip, 2e-6);
    w = 380 + (w - 380) * exp(-0.5 / 40.8 * (2 - slip));
    NEAR(trial_at(t, 4, "vehicle.w"), w, 1e-4);
    NEAR(trial_read(t, "crank.w"), 2 * trial_read(t, "vehicle.w"), 1e-9);
    trial_end(t);
}

static void brake(void **state)
{
    (void)state;
    Trial *t = trial_start("Rotational.Examples.Braking", 3, 1e-9, NULL, NULL);
    NEAR(trial_at(t, 1, "wheel.w"), 4, 1e-8);
    NEAR(trial_at(t, 3, "wheel.phi"), 2 + 4 * (1.0 / 3) / 2, 1e-7);
    NEAR(trial_read(t, "brake.mode"), 0, 0);
    NEAR(trial_read(t, "brake.f.t"), 2, 1e-9);
    NEAR(t->event[1].time, 4.0 / 3, 1e-8);
    trial_end(t);
}

/* Never slower behind than in front, never pulling, and only one of both at a time. */
static void freewheel(void **state)
{
    (void)state;
    Trial *t = trial_start("Rotational.Examples.Freewheel", 4, 1e-9, NULL, NULL);
    trial_run(t, 0.3);
    NEAR(trial_read(t, "wheel.w"), trial_read(t, "shaft.w"), 1e-12);
    for (int i = 31; i <= 400; i++) {
        double w = trial_at(t, i * 0.01, "clutch.w_rel"), tau = trial_read(t, "clutch.tau");
        assert_true(w > -1e-8 && tau < 1e-8);
        NEAR(w * tau, 0, 1e-8);
    }
    assert_int_equal(t->n_events, 8);
    trial_end(t);
}

static void stops(void **state)
{
    (void)state;
    Trial *t = trial_start("Rotational.Examples.Stops", 4, 1e-9, NULL, NULL);
    for (int i = 1; i <= 800; i++) {
        double phi = trial_at(t, i * 0.005, "lever.phi"), torque = trial_read(t, "stop.f.t");
        double twist = trial_read(t, "spring.phi_rel"), mode = trial_read(t, "stop.mode");
        assert_true(phi > -0.2 - 1e-7 && phi < 0.5 + 1e-7);
        NEAR(mode > 0 ? fmin(torque, 0) : mode < 0 ? fmax(torque, 0) : torque, 0, 1e-7);
        assert_true(fabs(twist) < 0.3 || trial_read(t, "buffer.tau") * twist >= 0);
        assert_true(fabs(twist) > 0.3 || trial_read(t, "buffer.tau") == 0);
    }
    trial_end(t);
}

/* The twist is 0.15 at breakaway; then 0.1 + 0.05 cos 10 s + 0.1 sin 10 s until its rate is 1
 * again. */
static void stick_slip_shaft(void **state)
{
    (void)state;
    double slip = (2 * pi - 2 * atan(0.5)) / 10, stick = 0.1;
    Trial *t = trial_start("Rotational.Examples.StickSlip", 3, 1e-10, NULL, NULL);
    trial_run(t, 3);
    double expected = 0.15;
    assert_int_equal(t->n_events, 9);
    for (uint32_t i = 0; i < 9; i++) {
        NEAR(t->event[i].time, expected, 1e-6);
        assert_int_equal(t->event[i].states_after, i % 2 ? 0 : 2);
        expected += i % 2 ? stick : slip;
    }
    trial_end(t);
}

static void servo(void **state)
{
    (void)state;
    Trial *t = trial_start("Rotational.Examples.Servo", 2, 1e-9, NULL, NULL);
    NEAR(trial_at(t, 2, "shaft.phi"), cos(4), 1e-6);
    trial_end(t);
}

/* ---- Translational ---- */

/* The body starts at rest on the moving belt, slides, rides along, breaks off at 0.1 m. */
static void stick_slip_belt(void **state)
{
    (void)state;
    double first = asin(0.2) / 10, ride = (0.1 - 0.05 * (1 - cos(10 * first))) / 0.1;
    double slip = (2 * pi - 2 * atan(5)) / 10;
    double expected[] = {first, first + ride, first + ride + slip, first + ride + slip + 1};
    Trial *t = trial_start("Translational.Examples.StickSlip", 2.5, 1e-10, NULL, NULL);
    trial_run(t, 2.5);
    assert_int_equal(t->n_events, 4);
    for (int i = 0; i < 4; i++)
        NEAR(t->event[i].time, expected[i], 1e-6);
    trial_end(t);
}

/* Behind the lever m3 has half the way of m2: together 2 + 1/4, damper 1/4; s1, s2, v1, v2. */
static void oscillator_ode(double t, const double *x, double *dx)
{
    double link = 50 * (x[1] - x[0]) + 0.5 * (x[3] - x[2]);
    dx[0] = x[2];
    dx[1] = x[3];
    dx[2] = sin(pi * t) + link;
    dx[3] = (-link - 0.25 * x[3]) / 2.25;
}

static void oscillator(void **state)
{
    (void)state;
    double x[4] = {0};
    Trial *t = trial_start("Translational.Examples.Oscillator", 3, 1e-10, NULL, NULL);
    trial_rk4(oscillator_ode, 4, x, 0, 3, 30000);
    NEAR(trial_at(t, 3, "m1.s"), x[0], 1e-7);
    NEAR(trial_read(t, "m2.v"), x[3], 1e-7);
    NEAR(trial_read(t, "m3.s"), x[1] / 2, 1e-7);
    trial_end(t);
}

/* s = 4/pi*(t - 2/pi*sin(pi*t/2)) up to the wall at 1; it leaves when the push turns at 2. */
static void wall(void **state)
{
    (void)state;
    double low = 1, high = 2;
    while (high - low > 1e-13) {
        double middle = (low + high) / 2;
        (4 / pi * (middle - 2 / pi * sin(pi * middle / 2)) < 1 ? &low : &high)[0] = middle;
    }
    Trial *t = trial_start("Translational.Examples.Wall", 4, 1e-10, NULL, NULL);
    NEAR(trial_at(t, 1.9, "sledge.s"), 1, 1e-12);
    NEAR(trial_read(t, "sledge.v"), 0, 1e-12);
    NEAR(trial_at(t, 3, "sledge.s"), 1 - 4 / pi * (1 - 2 / pi), 1e-7);
    assert_int_equal(t->n_events, 2);
    NEAR(t->event[0].time, low, 1e-7);
    NEAR(t->event[1].time, 2, 1e-8);
    trial_end(t);
}

/* Fall from 1 m, then half a swing about the point where spring and weight balance. */
static void jumping(void **state)
{
    (void)state;
    double v = sqrt(2 * 9.81), w = 100, touch = v / 9.81;
    double swing = (2 * pi - 2 * atan(v / w / (9.81 / 1e4))) / w - 0;
    Trial *t = trial_start("Translational.Examples.Jumping", 2, 1e-10, NULL, NULL);
    trial_run(t, 0.9);
    assert_int_equal(t->n_events, 2);
    NEAR(t->event[0].time, touch, 1e-7);
    NEAR(t->event[1].time, touch + swing, 1e-6);
    double s = trial_at(t, 2, "ball.s"), speed = trial_read(t, "ball.v");
    NEAR(speed * speed / 2 + 9.81 * s, 9.81, 1e-6);
    trial_end(t);
}

static void brake_and_ratchet(void **state)
{
    (void)state;
    Trial *t = trial_start("Translational.Examples.Braking", 4, 1e-10, NULL, NULL);
    NEAR(trial_at(t, 1.3, "carriage.s"), 0, 0);
    trial_run(t, 4);
    NEAR(t->event[0].time, (5 - sqrt(5)) / 2, 1e-8);
    /* The ratchet takes the second carriage along while the first is accelerated. */
    NEAR(t->event[1].time, (5 + sqrt(5)) / 2, 1e-6);
    NEAR(trial_read(t, "second.v"), 20.0 / 12 / 3 * 5 * sqrt(5) / 5, 1e-6);
    assert_true(trial_read(t, "ratchet.v_rel") > 0);
    trial_end(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(geared_drive),
        cmocka_unit_test(coupled_clutches),
        cmocka_unit_test(drive_train),
        cmocka_unit_test(brake),
        cmocka_unit_test(freewheel),
        cmocka_unit_test(stops),
        cmocka_unit_test(stick_slip_shaft),
        cmocka_unit_test(servo),
        cmocka_unit_test(stick_slip_belt),
        cmocka_unit_test(oscillator),
        cmocka_unit_test(wall),
        cmocka_unit_test(jumping),
        cmocka_unit_test(brake_and_ratchet),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
