/* test_pulses.c: short pulses of what follows the clock -> long steps do not jump over them.
 *
 * Between the pulses nothing moves, so steps grow until they are longer than a pulse; whether a
 * stage falls into it is chance. What the pulses bring is known in closed form. */
#include "tests/support/sim_lab.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

/* One pulse max(0, sin(w t) - c) in a turn brings 2*(cos(a) - c*(pi/2 - a))/w, a = asin(c). */
static void run_pulses(double w, double c, SolSolver solver)
{
    char text[500];
    const double pi = 3.14159265358979323846, turns = 20, a = asin(c);
    double one = 2 * (cos(a) - c * (pi / 2 - a)) / w;
    snprintf(text, sizeof text,
             "model M\ninterface: static Real x; static Real p;\nimplementation:\n"
             "  p = max(a = 0, b = sin(x = %.17g*time) - %.17g);\n"
             "  der(x = x, start << 1) = p;\nend M;\n",
             w, c);
    double stop = turns * 2 * pi / w;
    SimLab *lab = sim_lab_text(
        text, &(SolOptions){.stop = stop, .interval = stop / 500, .rtol = 1e-8, .solver = solver});
    assert_int_equal(sim_lab_run(lab, stop), SOL_OK);
    double x = sim_lab_value(lab, "x"), expected = 1 + turns * one;
    if (fabs(x - expected) > 1e-4 * turns * one)
        fail_msg("w = %g, c = %g: x = %.9g, not %.9g", w, c, x, expected);
    sim_lab_close(lab);
}

static void test_pulses(void **state)
{
    (void)state;
    for (int k = 0; k < 12; k++) {
        run_pulses(1 + 0.37 * k, 0.55 + 0.02 * k, SOL_SOLVER_RK);
        run_pulses(1 + 0.37 * k, 0.55 + 0.02 * k, SOL_SOLVER_IDA);
    }
}

/* The pulse reaches the state through a stiff lag, with a loop in between, and passes through as it
 * is but for the lag: slopes of the lag are large everywhere, and must not count for that. */
static void test_stiff_lag(void **state)
{
    (void)state;
    static const char text[] =
        "model M\ninterface: static Real x; static Real lag;\nimplementation:\n"
        "  Real p; Real a; Real b;\n"
        "  p = max(a = 0, b = sin(x = time) - 0.9);\n"
        "  a + b = p; a - 0.5*b = 0.25*p;\n"
        "  der(x = lag, start << 0) = 1e6*(a + b - lag);\n"
        "  der(x = x, start << 0) = lag;\nend M;\n";
    const double pi = 3.14159265358979323846, c = 0.9, a = asin(c), turns = 10;
    double one = 2 * (cos(a) - c * (pi / 2 - a)), stop = turns * 2 * pi;
    SimLab *lab =
        sim_lab_text(text, &(SolOptions){.stop = stop, .interval = stop / 500, .rtol = 1e-8});
    assert_int_equal(sim_lab_run(lab, stop), SOL_OK);
    double x = sim_lab_value(lab, "x");
    if (fabs(x - turns * one) > 1e-4 * turns * one)
        fail_msg("x = %.9g, not %.9g", x, turns * one);
    sim_lab_close(lab);
}

/* ---- conditions that hold for a short time ---- */

static double two_tones(double f, double t)
{
    const double pi = 3.14159265358979323846;
    return sin(2 * pi * f * t) + 2 * sin(2 * pi * 1.75 * f * t);
}

/* How often it rises above `level` up to `stop`. */
static int count_peaks(double f, double level, double stop)
{
    enum { LOOKS = 300000 };
    int n = 0;
    for (int i = 1; i <= LOOKS; i++)
        n +=
            two_tones(f, stop * i / LOOKS) > level && two_tones(f, stop * (i - 1) / LOOKS) <= level;
    return n;
}

/* Nothing moves but the clock, or y, which knows nothing of it: steps are long, or as long as an
 * interval, and a peak is shorter than the time between two looks into them. */
static void run_peaks(double f, double level, bool moving, SolSolver solver)
{
    enum { STEPS = 53 };
    const double stop = 3;
    char text[500];
    snprintf(
        text, sizeof text,
        "model M\ninterface: static Integer n; static Real u; static Real y;\nimplementation:\n"
        "  u = sin(x = 6.283185307179586*%.17g*time) + 2*sin(x = "
        "6.283185307179586*1.75*%.17g*time);\n"
        "  %s\n  when u + 0.001*y > %.17g then n << pre(n) + 1; end;\nend M;\n",
        f, f, moving ? "der(x = y, start << 1e-9) = -y;" : "y = 0;", level);
    SimLab *lab = sim_lab_text(text, &(SolOptions){.stop = stop, .steps = STEPS, .solver = solver});
    assert_int_equal(sim_lab_run(lab, stop), SOL_OK);
    int n = (int)sim_lab_value(lab, "n"), expected = count_peaks(f, level, stop);
    if (n != expected)
        fail_msg("f = %g, level %g, %s: %d peaks, not %d", f, level, moving ? "moving" : "at rest",
                 n, expected);
    sim_lab_close(lab);
}

static void test_peaks(void **state)
{
    (void)state;
    for (int k = 0; k < 40; k++) {
        double f = 0.5 + 0.031 * k, most = -INFINITY;
        for (int i = 0; i < 100000; i++)
            most = fmax(most, two_tones(f, 3e-5 * i));
        for (int near = 0; near < 3; near++) {
            double level = most - 0.001 * pow(10, near);
            run_peaks(f, level, false, SOL_SOLVER_IDA);
            run_peaks(f, level, true, k % 2 ? SOL_SOLVER_IDA : SOL_SOLVER_RK);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_pulses),
                                       cmocka_unit_test(test_stiff_lag),
                                       cmocka_unit_test(test_peaks)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
