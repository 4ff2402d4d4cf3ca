/* test_thesis.c: models of thesis.sol -> what the thesis says of its listings, with the audit.
 *
 * Values are closed forms, or come from Runge and Kutta's method on equations written down here. */
#include "tests/support/trial.h"

#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

static Trial *begin(const char *model, double stop)
{
    return trial_start(model, stop, 1e-9, NULL, "../sim/thesis.sol");
}

/* 5.10: one event at 5, after which there is no state any more. */
static void test_frozen(void **state)
{
    (void)state;
    Trial *t = begin("Thesis.Frozen", 8);
    NEAR(trial_at(t, 4, "level"), 4, 1e-8);
    NEAR(trial_at(t, 8, "level"), 5, 0);
    assert_int_equal(t->n_events, 1);
    NEAR(t->event[0].time, 5, 1e-8);
    assert_int_equal(t->event[0].states_before, 1);
    assert_int_equal(t->event[0].states_after, 0);
    trial_end(t);
}

/* 5.11: with the first engine 1/2 w^2 = 10*(p + sin(p)), p its angle; with the second the wheel
 * gains 18 in each second. */
static void test_machine(void **state)
{
    (void)state;
    Trial *t = begin("Thesis.Machine", 4);
    double w = trial_at(t, 1.5, "wheel.w"), p = 1.8 * trial_read(t, "wheel.f.phi");
    NEAR(w * w / 2, 10 * (p + sin(p)), 1e-5);
    NEAR(trial_read(t, "fast"), 0, 0);
    double later = trial_at(t, 3.5, "wheel.w");
    NEAR(trial_read(t, "fast"), 1, 0);
    assert_int_equal(t->n_events, 1);
    NEAR(later, 40 + 18 * (3.5 - t->event[0].time), 1e-6);
    assert_int_equal(t->event[0].states_before, 2);
    assert_int_equal(t->event[0].states_after, 2);
    trial_end(t);
}

/* x: voltage of the capacitor, current of the coil. */
static void conducting(double t, const double *x, double *dx)
{
    dx[0] = (x[1] - x[0] / 50) / 0.001;
    dx[1] = (sin(314.1592653589793 * t) - 10 * x[1] - x[0]) / 0.2;
}

static void blocking(double t, const double *x, double *dx)
{
    (void)t;
    dx[0] = -x[0] / 50 / 0.001;
    dx[1] = 0;
}

/* The circuit by steps of a microsecond that change over where they should. */
static double half_wave(double stop)
{
    double x[2] = {0, 0}, h = 1e-6;
    bool closed = true; /* the source rises from 0 */
    for (uint32_t k = 0; (k + 1) * h <= stop + h / 2; k++) {
        trial_rk4(closed ? conducting : blocking, 2, x, k * h, (k + 1) * h, 1);
        if (closed && x[1] < 0)
            closed = false, x[1] = 0;
        else if (!closed && sin(314.1592653589793 * (k + 1) * h) > x[0])
            closed = true;
    }
    return x[0];
}

/* 11.3: the coil's current is a state only while the diode conducts. */
static void test_half_wave(void **state)
{
    (void)state;
    Trial *t = begin("Thesis.HalfWave", 0.1);
    double u = trial_at(t, 0.1, "C.u");
    NEAR(u, half_wave(0.1), 1e-6);
    assert_true(t->n_events >= 9);
    for (uint32_t i = 0; i < t->n_events; i++) {
        assert_int_equal(t->event[i].states_before, i % 2 ? 1 : 2);
        assert_int_equal(t->event[i].states_after, i % 2 ? 2 : 1);
    }
    trial_end(t);
}

/* Appendix C as printed lets the other half of the wave through. */
static void test_reversed(void **state)
{
    (void)state;
    Trial *t = begin("Thesis.Reversed", 0.04);
    NEAR(trial_at(t, 0.005, "D.i"), 0, 0);
    NEAR(trial_at(t, 0.015, "D.i"), -0.1, 1e-9);
    NEAR(trial_at(t, 0.025, "D.i"), 0, 0);
    trial_end(t);
}

/* 11.9: the inner disc falls by 1/4 t^2, is stopped at 2 s and driven away from 4 s on; the outer
 * one turns on all the time, while its hinge jumps by the speed that was lost. */
static void test_two_discs(void **state)
{
    (void)state;
    Trial *t = begin("Thesis.TwoDiscs", 6);
    NEAR(trial_at(t, 1, "first.phi"), -0.25, 1e-7);
    NEAR(trial_at(t, 3, "first.phi"), -1, 1e-7);
    NEAR(trial_read(t, "first.held"), 1, 0);
    NEAR(trial_read(t, "outer.f.phi"), 1.5, 1e-6);
    NEAR(trial_at(t, 6, "first.phi"), 0, 1e-6);
    NEAR(trial_read(t, "first.held"), 0, 0);
    NEAR(trial_read(t, "outer.f.phi"), 3, 1e-6);
    assert_int_equal(t->n_events, 2);
    NEAR(t->event[0].time, 2, 1e-7);
    assert_int_equal(t->event[0].states_before, 4);
    assert_int_equal(t->event[0].states_after, 2);
    NEAR(t->event[1].time, 4, 0);
    assert_int_equal(t->event[1].states_after, 4);
    trial_end(t);
}

/* 11.17: the list has one more every second, the young in front. */
static void test_growing(void **state)
{
    (void)state;
    Trial *t = begin("Thesis.Growing", 4);
    NEAR(trial_at(t, 0.5, "count"), 1, 0);
    NEAR(trial_at(t, 3.5, "count"), 4, 0);
    NEAR(trial_read(t, "youngest"), 0.5, 1e-9);
    NEAR(trial_read(t, "second"), 1.5, 1e-9);
    trial_end(t);
}

/* 7.2: the capacitor follows what is at its end; 0.01 F behind 100 Ohm, a time constant of 1 s. */
static void test_four_ends(void **state)
{
    (void)state;
    Trial *t = begin("Thesis.FourEnds", 20);
    double at_5 = trial_at(t, 5, "uc"), at_10 = trial_at(t, 10, "uc");
    NEAR(at_10, -10 + (at_5 + 10) * exp(-5), 1e-7);
    double at_15 = trial_at(t, 15, "uc");
    NEAR(at_15, at_10 - 0.2 / 0.01 * 5, 1e-6);
    NEAR(trial_at(t, 20, "uc"), at_15 * exp(-5 / 11.0), 1e-6);
    assert_int_equal(t->n_events, 3);
    trial_end(t);
}

/* 9.1, the switch open: one node, fed by four resistors. */
static void test_mesh(void **state)
{
    (void)state;
    Trial *t = begin("Thesis.Mesh", 0.1);
    double s = 0.03, u1 = 10 * sin(157 * s), u2 = 5 * sin(94 * s + 0.8),
           u3 = 16 * sin(63 * s + 1.6);
    double v2 = (u1 / 20 + u2 / 30 + u3 / 40 + u3 / 120) / (1 / 20. + 1 / 30. + 1 / 40. + 1 / 120.);
    NEAR(trial_at(t, s, "v2"), v2, 1e-12);
    NEAR(trial_read(t, "v1"), u1, 1e-12);
    NEAR(trial_read(t, "v3"), v2 + 70 * (u3 - v2) / 120, 1e-12);
    trial_end(t);
}

/* 10.2: together 3 mF behind 100 Ohm. */
static void test_side_by_side(void **state)
{
    (void)state;
    Trial *t = begin("Thesis.SideBySide", 1);
    NEAR(trial_at(t, 1, "u2"), 10 * (1 - exp(-1 / 0.3)), 1e-7);
    trial_end(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_frozen),       cmocka_unit_test(test_machine),
        cmocka_unit_test(test_half_wave),    cmocka_unit_test(test_reversed),
        cmocka_unit_test(test_two_discs),    cmocka_unit_test(test_growing),
        cmocka_unit_test(test_four_ends),    cmocka_unit_test(test_mesh),
        cmocka_unit_test(test_side_by_side),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
