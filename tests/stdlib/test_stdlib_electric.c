/* test_stdlib_electric.c: examples of Electric -> closed forms, and references integrated beside.
 */
#include "tests/support/trial.h"

#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

static const double pi = 3.141592653589793;

/* Times of opening and closing, and the final voltage, from the exact solution of both modes. */
static void rectifier(void **state)
{
    static const double times[] = {0.014978709134, 0.020504039592, 0.034009117184,
                                   0.040704444416, 0.053632707228, 0.060791030728,
                                   0.073471178509, 0.080829506262, 0.093399584256};
    (void)state;
    Trial *t = trial_start("Electric.Examples.Rectifier", 0.1, 1e-9, NULL, NULL);
    NEAR(trial_read(t, "D.closed"), 1, 0);
    NEAR(trial_at(t, 0.1, "C.u"), 0.26739260751, 1e-8);
    assert_int_equal(t->n_events, 9);
    for (int i = 0; i < 9; i++) {
        NEAR(t->event[i].time, times[i], 1e-8);
        assert_int_equal(t->event[i].states_after, i % 2 ? 2 : 1);
    }
    trial_end(t);
}

/* Source with 1 Ohm, four diodes of 1 mOhm, 1 mF with 100 Ohm; what leaks is left out. */
static void bridge_ode(double t, const double *x, double *dx)
{
    double drive = fabs(10 * sin(100 * pi * t)) - x[0];
    dx[0] = ((drive > 0 ? drive / 1.002 : 0) - x[0] / 100) / 1e-3;
}

static void full_bridge(void **state)
{
    (void)state;
    double u = 0;
    Trial *t = trial_start("Electric.Examples.FullBridge", 0.1, 1e-8, NULL, NULL);
    trial_rk4(bridge_ode, 1, &u, 0, 0.1, 100000);
    NEAR(trial_at(t, 0.1, "C.u"), u, 1e-3);
    assert_true(t->n_events >= 19);
    trial_end(t);
}

static double mean(Trial *t, double from, double to, const char *path)
{
    double sum = 0;
    for (int i = 0; i < 200; i++)
        sum += trial_at(t, from + (i + 0.5) * (to - from) / 200, path);
    return sum / 200;
}

static void converters(void **state)
{
    (void)state;
    Trial *t = trial_start("Electric.Examples.Buck", 0.02, 1e-6, NULL, NULL);
    NEAR(mean(t, 0.019, 0.02, "load.u"), 0.4 * 24, 0.02);
    trial_end(t);
    t = trial_start("Electric.Examples.Buck", 0.02, 1e-6, "duty=0.7", NULL);
    NEAR(mean(t, 0.019, 0.02, "load.u"), 0.7 * 24, 0.03);
    trial_end(t);
    t = trial_start("Electric.Examples.Boost", 0.06, 1e-6, NULL, NULL);
    NEAR(mean(t, 0.059, 0.06, "load.u"), 12 / (1 - 0.5), 0.05);
    trial_end(t);
}

/* In the mean the six pulses give 3*sqrt(3)/pi times the amplitude. */
static void three_phase(void **state)
{
    (void)state;
    Trial *t = trial_start("Electric.Examples.ThreePhaseBridge", 0.1, 1e-7, NULL, NULL);
    double current = mean(t, 0.08, 0.1, "R.i");
    NEAR(current, 3 * sqrt(3) / pi * 100 / 10.22, 0.06);
    trial_end(t);
}

/* Phasors: the current of phase k is the imaginary part of I exp(2 pi j (t + k/3)), its power that of the closed form below. */
static double complex line_current(double shift)
{
    return (cexp(I * shift) - 1) / (0.5 + I * 2 * pi * 0.3);
}

static double line_power(double shift)
{
    return 1.5 * creal(cexp(I * shift) * conj(line_current(shift)));
}

static void steady_line(Trial *t, const char *path, double shift)
{
    static const char *const currents[] = {"L1.i", "L2.i", "L3.i"};
    char name[40];
    for (int step = 0; step < 3; step++) {
        double time = 0.37 * step, within = step ? 1e-8 : 1e-9;
        trial_run(t, time);
        for (int k = 0; k < 3; k++) {
            snprintf(name, sizeof name, "%s%s", path, currents[k]);
            NEAR(trial_read(t, name),
                 cimag(line_current(shift) * cexp(2 * pi * I * (time + k / 3.0))), within);
        }
        snprintf(name, sizeof name, "%spower", path);
        NEAR(trial_read(t, name), line_power(shift), within);
        snprintf(name, sizeof name, "%sframe.d", path);
        NEAR(trial_read(t, name), sqrt(1.5) * creal(line_current(shift)), within);
    }
}

static void steady_three_phases(void **state)
{
    (void)state;
    Trial *t = trial_start("Electric.Examples.ThreePhaseLine", 1, 1e-11, NULL, NULL);
    steady_line(t, "", 0.4);
    trial_end(t);
    t = trial_start("Electric.Examples.ThreePhasePower", 1, 1e-11, NULL, NULL);
    double shift = trial_read(t, "shift");
    NEAR(line_power(shift), -0.12865, 1e-9);
    assert_true(shift < 0 && shift > -1); /* the other one is beyond -2 */
    steady_line(t, "line.", shift);
    trial_end(t);
}

static void steady_parts(void **state)
{
    (void)state;
    Trial *t = trial_start("Extra.Begun", 1, 1e-10, NULL, "extra.sol");
    for (int end = 0; end < 2; end++) {
        trial_run(t, end);
        NEAR(trial_read(t, "L.i"), 2, 1e-9);
        NEAR(trial_read(t, "C.u"), 6, 1e-9);
        NEAR(trial_read(t, "body.T"), pow(pow(293.15, 4) + 50 / 5.670374419e-8, 0.25), 1e-6);
        NEAR(trial_read(t, "shaft.w"), 2, 1e-9);
        NEAR(trial_read(t, "shaft.phi"), 0.5 + 2 * end, 1e-8);
        NEAR(trial_read(t, "lever.phi"), 1.5, 1e-9);
        NEAR(trial_read(t, "sledge.v"), -5, 1e-9);
        NEAR(trial_read(t, "sledge.s"), 1 - 5 * end, 1e-8);
        NEAR(trial_read(t, "pan.s"), -0.2, 1e-9);
        NEAR(trial_read(t, "lag.y"), 6, 1e-9);
    }
    trial_end(t);
}

static void chua_ode(double t, const double *x, double *dx)
{
    double g = 0.565, u1 = x[0], u2 = x[1], i = x[2];
    double n = -0.409091 * u1 + 0.5 * (-0.757576 + 0.409091) * (fabs(u1 + 1) - fabs(u1 - 1));
    (void)t;
    dx[0] = (g * (u2 - u1) - n) / 10;
    dx[1] = (g * (u1 - u2) - i) / 100;
    dx[2] = (u2 - 12.5e-3 * i) / 18;
}

static void chua(void **state)
{
    (void)state;
    double x[3] = {4, 0, 0};
    Trial *t = trial_start("Electric.Examples.Chua", 200, 1e-10, NULL, NULL);
    trial_rk4(chua_ode, 3, x, 0, 200, 200000);
    NEAR(trial_at(t, 200, "C1.u"), x[0], 1e-5);
    NEAR(trial_read(t, "C2.u"), x[1], 1e-5);
    NEAR(trial_read(t, "L.i"), x[2], 1e-5);
    trial_end(t);
}

/* Node voltages v1, v3, v5 and the two currents; the capacitances couple the voltages. */
static void cauer_ode(double t, const double *x, double *dx)
{
    double l1 = 1.304, l2 = 0.8586, c1 = 1.072, c3 = 1.682, c5 = 0.7262;
    double c2 = 1 / (1.704992 * 1.704992 * l1), c4 = 1 / (1.179945 * 1.179945 * l2);
    double b1 = (t >= 1 ? 1 : 0) - x[0] - x[3], b3 = x[3] - x[4], b5 = x[4] - x[2];
    double a1 = c1 + c2, a3 = c2 + c3 + c4, a5 = c4 + c5;
    dx[1] = (b3 + c2 * b1 / a1 + c4 * b5 / a5) / (a3 - c2 * c2 / a1 - c4 * c4 / a5);
    dx[0] = (b1 + c2 * dx[1]) / a1;
    dx[2] = (b5 + c4 * dx[1]) / a5;
    dx[3] = (x[0] - x[1]) / l1;
    dx[4] = (x[1] - x[2]) / l2;
}

static void low_pass(void **state)
{
    (void)state;
    double x[5] = {0};
    Trial *t = trial_start("Electric.Examples.LowPass", 10, 1e-9, NULL, NULL);
    trial_rk4(cauer_ode, 5, x, 1, 10, 20000);
    NEAR(trial_at(t, 10, "C1.u"), x[0], 1e-6);
    NEAR(trial_read(t, "C3.u"), x[1], 1e-6);
    NEAR(trial_read(t, "C5.u"), x[2], 1e-6);
    NEAR(trial_read(t, "L1.i"), x[3], 1e-6);
    NEAR(trial_read(t, "L2.i"), x[4], 1e-6);
    trial_end(t);
}

/* R = 1, L = 0.01 on 10 V, 50 Hz, from rest. */
static double rl_current(double time)
{
    double w = 100 * pi, z = sqrt(1 + w * w * 1e-4), lag = atan(w * 0.01);
    return 10 / z * (sin(w * time - lag) + sin(lag) * exp(-100 * time));
}

static void zero_current_opening(void **state)
{
    (void)state;
    double low = 0.013, high = 0.016;
    while (high - low > 1e-13) {
        double middle = (low + high) / 2;
        if ((rl_current(middle) > 0) == (rl_current(low) > 0))
            low = middle;
        else
            high = middle;
    }
    Trial *t = trial_start("Electric.Examples.ZeroCurrentOpening", 0.04, 1e-9, NULL, NULL);
    NEAR(trial_at(t, 0.013, "L.i"), rl_current(0.013), 1e-7);
    NEAR(trial_at(t, 0.04, "L.i"), 0, 0);
    assert_int_equal(t->n_events, 2);
    NEAR(t->event[1].time, low, 1e-8);
    assert_int_equal(t->event[1].states_after, 0);
    trial_end(t);
}

static void cut_current(void **state)
{
    (void)state;
    Trial *t = trial_start("Electric.Examples.CutCurrent", 0.03, 1e-9, NULL, NULL);
    NEAR(trial_at(t, 0.0119, "S.cut"), 0, 0);
    NEAR(trial_at(t, 0.0121, "S.cut"), rl_current(0.012), 1e-7);
    NEAR(trial_read(t, "L.i"), 0, 0);
    trial_end(t);
}

static void thyristor(void **state)
{
    (void)state;
    Trial *t = trial_start("Electric.Examples.PhaseControl", 0.05, 1e-8, NULL, NULL);
    NEAR(trial_at(t, 0.003, "load.u"), 0, 0);
    NEAR(trial_at(t, 0.007, "load.u"), 10 * sin(100 * pi * 0.007), 1e-12);
    NEAR(trial_at(t, 0.0073, "T.u"), 0, 1e-12);
    NEAR(trial_at(t, 0.013, "load.u"), 0, 0);
    NEAR(trial_read(t, "T.u"), 10 * sin(100 * pi * 0.013), 1e-12);
    NEAR(trial_at(t, 0.027, "load.i"), 2 * sin(100 * pi * 0.027), 1e-12);
    trial_end(t);
}

static void commutation(void **state)
{
    (void)state;
    Trial *t = trial_start("Electric.Examples.Commutation", 1, 1e-9, NULL, NULL);
    double charged = 10 * (1 - exp(-5));
    NEAR(trial_at(t, 0.5, "C.u"), charged, 1e-7);
    NEAR(trial_at(t, 1, "C.u"), charged * exp(-2.5), 1e-7);
    trial_end(t);
}

static void operational_amplifier(void **state)
{
    (void)state;
    Trial *t = trial_start("Electric.Examples.InvertingIntegrator", 1, 1e-9, NULL, NULL);
    NEAR(trial_at(t, 1, "A.output.u"), -2, 1e-9);
    NEAR(trial_read(t, "A.n.u"), 0, 1e-12);
    trial_end(t);
}

/* Forward region: the collector carries the gain times the base current; the output swings
 * against the input. */
static void transistor(void **state)
{
    (void)state;
    Trial *t = trial_start("Electric.Examples.Amplifier", 0.5, 1e-8, NULL, NULL);
    trial_run(t, 0.49);
    double lowest = 100, highest = -100, product = 0;
    for (int i = 0; i < 200; i++) {
        double u = trial_at(t, 0.49 + i * 5e-6, "load.u");
        NEAR(trial_read(t, "T.c.i"), 100 * trial_read(t, "T.b.i"), 1e-9);
        product += u * trial_read(t, "source.u");
        lowest = fmin(lowest, u);
        highest = fmax(highest, u);
    }
    assert_true(product < 0);
    assert_true(highest - lowest > 0.4 && highest - lowest < 4);
    trial_end(t);
}

static void exponential_diode(void **state)
{
    (void)state;
    Trial *t = trial_start("Electric.Examples.SoftRectifier", 0.05, 1e-9, NULL, NULL);
    double i = trial_at(t, 0.0445, "D.i"), u = trial_read(t, "D.u");
    NEAR(i, 1e-12 * (exp(u / 0.026) - 1) + u / 1e8, 1e-9);
    assert_true(i > 1e-3);
    NEAR(trial_read(t, "C.u"), trial_read(t, "source.u") - u, 1e-12);
    trial_end(t);
}

static void saturation(void **state)
{
    (void)state;
    Trial *t = trial_start("Electric.Examples.Saturation", 1, 1e-8, NULL, NULL);
    for (double time = 0.05; time < 1; time += 0.1) {
        double i = 2 * sin(2 * pi * time), slope = 4 * pi * cos(2 * pi * time), h = tanh(i);
        NEAR(trial_at(t, time, "L.u"), (0.05 + 0.95 * (1 - h * h)) * slope, 1e-10);
        NEAR(trial_read(t, "L.flux"), 0.05 * i + 0.95 * h, 1e-12);
        NEAR(trial_read(t, "R.u"), atanh(i / 3) / 0.5, 1e-9);
    }
    trial_end(t);
}

static void coupled_ode(double t, const double *x, double *dx)
{
    double b1 = 10 - x[0], b2 = -2 * x[1], det = 1 * 0.25 - 0.45 * 0.45;
    (void)t;
    dx[0] = (0.25 * b1 - 0.45 * b2) / det;
    dx[1] = (1 * b2 - 0.45 * b1) / det;
}

static void transformers(void **state)
{
    (void)state;
    double x[2] = {0, 0};
    Trial *t = trial_start("Electric.Examples.Transformers", 1, 1e-9, NULL, NULL);
    trial_rk4(coupled_ode, 2, x, 0, 1, 20000);
    NEAR(trial_at(t, 1, "coupled.i1"), x[0], 1e-7);
    NEAR(trial_read(t, "coupled.i2"), x[1], 1e-7);
    NEAR(trial_read(t, "load2.u"), 5, 1e-12);
    NEAR(trial_read(t, "ideal.i1"), 5.0 / 3 / 2, 1e-12);
    trial_end(t);
}

static void controlled_sources(void **state)
{
    (void)state;
    Trial *t = trial_start("Electric.Examples.ControlledChain", 1, 1e-6, NULL, NULL);
    NEAR(trial_read(t, "A.u2"), 6, 1e-12);
    NEAR(trial_read(t, "B.u2"), 12, 1e-12);
    NEAR(trial_read(t, "D.i1"), 6, 1e-12);
    NEAR(trial_read(t, "load.u"), 36, 1e-12);
    trial_end(t);
}

static double pulse(double t)
{
    double phase = t < 0.1 ? 1 : fmod(t - 0.1, 0.2) / 0.2;
    return phase < 0.3 ? 4 : 0;
}

static void waveforms(void **state)
{
    (void)state;
    Trial *t = trial_start("Electric.Examples.Waves", 1, 1e-6, NULL, NULL);
    for (double time = 0.013; time < 1; time += 0.029) {
        double wave = (time >= 0.2) + 2 * fmin(fmax((time - 0.1) / 0.5, 0), 1) + pulse(time);
        NEAR(trial_at(t, time, "R.u"), wave + time * time, 1e-12);
        NEAR(trial_read(t, "Gi.i"), wave + 1 - time, 1e-12);
    }
    trial_end(t);
}

static void tables(void **state)
{
    (void)state;
    Trial *t = trial_start("Extra.Tables", 4, 1e-6, NULL, "extra.sol");
    NEAR(trial_at(t, 0.5, "R1.u"), 1, 1e-12);
    NEAR(trial_read(t, "R2.u"), 1, 1e-12);
    NEAR(trial_at(t, 1.25, "R2.u"), 2, 1e-12);
    NEAR(trial_at(t, 3.5, "R1.u"), -1, 1e-12);
    NEAR(trial_read(t, "R2.u"), 5, 1e-12);
    NEAR(trial_read(t, "block.y"), 2, 1e-12);
    trial_end(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rectifier),
        cmocka_unit_test(full_bridge),
        cmocka_unit_test(converters),
        cmocka_unit_test(three_phase),
        cmocka_unit_test(steady_three_phases),
        cmocka_unit_test(steady_parts),
        cmocka_unit_test(chua),
        cmocka_unit_test(low_pass),
        cmocka_unit_test(thyristor),
        cmocka_unit_test(zero_current_opening),
        cmocka_unit_test(cut_current),
        cmocka_unit_test(commutation),
        cmocka_unit_test(transistor),
        cmocka_unit_test(operational_amplifier),
        cmocka_unit_test(exponential_diode),
        cmocka_unit_test(saturation),
        cmocka_unit_test(transformers),
        cmocka_unit_test(controlled_sources),
        cmocka_unit_test(waveforms),
        cmocka_unit_test(tables),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
