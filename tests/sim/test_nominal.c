/* test_nominal.c: models in other units. What is measured in pico something, or in giga something, with `nominal` to say so, has the same
 * events and the same values, but for the factor: closed forms are the oracle. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/support/sim_lab.h"

#include <math.h>
#include <stdio.h>

static const double unit[] = {1, 1e-6, 1e-12, 1e-18, 1e9};
enum { UNITS = sizeof unit / sizeof *unit };

/* Runs `text` with the unit as K. `steps`: points of output. */
static SimLab *run(const char *text, double k, SolSolver solver, uint32_t steps, double stop,
                   double rtol)
{
    char model[2048];
    snprintf(model, sizeof model, text, k);
    SimLab *lab = sim_lab_text(
        model, &(SolOptions){
                   .stop = stop, .steps = steps, .solver = solver, .rtol = rtol, .cache = "off"});
    assert_int_equal(sim_lab_run(lab, stop), SOL_OK);
    return lab;
}

static bool is_near(double a, double b, double error)
{
    return fabs(a - b) <= error * fabs(b);
}

/* Two masses that a clutch joins: momentum is kept, however small they are. */
static void impulses(void **state)
{
    static const char clutch[] =
        "model M\ninterface:\n  parameter Real K << %g;\n"
        "  static Real a {nominal << K}; static Real b {nominal << K}; static Real t;\n"
        "implementation:\n  der(x = a, start << 0) = t; 2*der(x = b, start << 3*K) = 0 - t;\n"
        "  if time >= 1 then a = b; else then t = 0; end if;\nend M;\n";
    (void)state;
    for (int i = 0; i < UNITS; i++)
        for (int solver = SOL_SOLVER_AUTO; solver <= SOL_SOLVER_RK; solver++) {
            SimLab *lab = run(clutch, unit[i], (SolSolver)solver, 10, 2, 0);
            assert_true(is_near(sim_lab_value(lab, "a"), 2 * unit[i], 1e-12));
            assert_true(is_near(sim_lab_value(lab, "b"), 2 * unit[i], 1e-12));
            assert_true(sim_lab_said(lab, "impulse"));
            sim_lab_close(lab);
        }
}

/* A rectifier's current comes to 0 many times in an output interval: that is no chattering. */
static void switching(void **state)
{
    static const char rectifier[] =
        "model M\ninterface:\n  parameter Real K << %g;\n"
        "  static Real i {nominal << K}; static Real u {nominal << K}; static Boolean closed;\n"
        "  static Integer n;\nimplementation:\n"
        "  u = K*sin(314*time) - 0.2*K - 0.01*der(x = i, start << 0);\n"
        "  if closed then u = 0; else then i = 0; end if;\n"
        "  if initial() then closed << false; n << 0;\n"
        "  else then\n    when i < 0 then closed << false; n << pre(n) + 1;\n"
        "    else when u > 0 then closed << true; end when;\n  end if;\nend M;\n";
    (void)state;
    for (int i = 0; i < UNITS; i++)
        for (uint32_t steps = 1; steps <= 400; steps *= 20)
            for (int solver = SOL_SOLVER_AUTO; solver <= SOL_SOLVER_RK; solver++) {
                SimLab *lab = run(rectifier, unit[i], (SolSolver)solver, steps, 4, 0);
                assert_true(sim_lab_value(lab, "n") == 200);
                assert_false(sim_lab_said(lab, "impulse"));
                sim_lab_close(lab);
            }
}

/* Of the clock alone. */
static void sines(void **state)
{
    static const char sine[] = "model M\ninterface:\n  parameter Real K << %g; static Integer n; "
                               "static Real u {nominal << K};\n"
                               "implementation:\n  u = K*sin(300*time);\n"
                               "  when u > 0.3*K then n << pre(n) + 1; end when;\nend M;\n";
    (void)state;
    for (int i = 0; i < UNITS; i++)
        for (uint32_t steps = 1; steps <= 400; steps *= 20) {
            SimLab *lab = run(sine, unit[i], SOL_SOLVER_AUTO, steps, 10, 0);
            assert_true(sim_lab_value(lab, "n") == floor((3000 - asin(0.3)) / (2 * M_PI)) + 1);
            sim_lab_close(lab);
        }
}

/* A ball of so many metres. */
static void bounces(void **state)
{
    static const char ball[] =
        "model M\ninterface:\n  parameter Real K << %g;\n"
        "  static Real h {nominal << K}; static Real v {nominal << K}; static Integer n;\n"
        "implementation:\n  der(h, start << K) = v; der(v, start << 0) = 0 - 9.81*K;\n"
        "  when h < 0 and v < 0 then reinit(v, 0 - 0.8*v); n << pre(n) + 1; end when;\nend M;\n";
    double first = sqrt(2 / 9.81), speed = 9.81 * first, time = first, stop = 3.5;
    int n = 0;
    (void)state;
    for (; time < stop; n++) {
        speed *= 0.8;
        time += 2 * speed / 9.81;
    }
    double left = stop - (time - 2 * speed / 9.81), h = speed * left - 9.81 / 2 * left * left;
    for (int i = 0; i < UNITS; i++)
        for (int solver = SOL_SOLVER_AUTO; solver <= SOL_SOLVER_RK; solver++) {
            SimLab *lab = run(ball, unit[i], (SolSolver)solver, 100, stop, 1e-10);
            assert_true(sim_lab_value(lab, "n") == n);
            assert_true(is_near(sim_lab_value(lab, "h"), h * unit[i], 1e-6));
            sim_lab_close(lab);
        }
}

/* What was, and its jumps, at their times. */
static void delays(void **state)
{
    static const char echo[] =
        "model M\ninterface:\n  parameter Real K << %g;\n"
        "  static Real x {nominal << K}; static Real y {nominal << K}; static Real z {nominal << "
        "K};\n"
        "  static Real at;\nimplementation:\n"
        "  x = K*(sin(time) + (if time > 1 then 2 else 0)); y = delay(x, 0.5);\n"
        "  der(x = z, start << 0) = y; when y > 1.5*K then at << time; end when;\nend M;\n";
    (void)state;
    for (int i = 0; i < UNITS; i++)
        for (int solver = SOL_SOLVER_AUTO; solver <= SOL_SOLVER_RK; solver++) {
            SimLab *lab = run(echo, unit[i], (SolSolver)solver, 4, 4, 1e-8);
            double z = 1 - cos(3.5) + 2 * 2.5;
            assert_true(is_near(sim_lab_value(lab, "z"), z * unit[i], 1e-6));
            assert_true(is_near(sim_lab_value(lab, "at"), 1.5, 1e-12));
            sim_lab_close(lab);
        }
}

/* What holds where states begin is held to the size of its terms: an energy of 8e-12 J is not 0 J. Without any nominal value. */
static void conditions(void **state)
{
    static const char charged[] =
        "model M\ninterface:\n  parameter Real K << %g; static Real u; static Real x; static Real "
        "y;\n"
        "implementation:\n  der(u) = 0 - u; der(x) = y - x; der(y) = K - x - y^3/K^2;\n"
        "  if initial() then K*u*u/2 = 8*K; der(x) = 0; der(y) = 0; end if;\nend M;\n";
    static const char contrary[] = "model M\ninterface:\n  parameter Real K << %g; static Real x;\n"
                                   "implementation:\n  der(x) = 0 - x;\n"
                                   "  if initial() then x = K; x = 2*K; end if;\nend M;\n";
    (void)state;
    for (int i = 0; i < UNITS; i++) {
        SimLab *lab = run(charged, unit[i], SOL_SOLVER_AUTO, 1, 0, 0);
        assert_true(is_near(fabs(sim_lab_value(lab, "u")), 4, 1e-8));
        assert_true(is_near(sim_lab_value(lab, "x"), 0.68232780382801933 * unit[i], 1e-8));
        assert_true(is_near(sim_lab_value(lab, "y"), 0.68232780382801933 * unit[i], 1e-8));
        sim_lab_close(lab);
        char model[512];
        snprintf(model, sizeof model, contrary, unit[i]);
        lab = sim_lab_text(model, &(SolOptions){.stop = 1});
        assert_int_equal(sim_lab_run(lab, 0), SOL_MODEL);
        sim_lab_close(lab);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(impulses), cmocka_unit_test(switching), cmocka_unit_test(sines),
        cmocka_unit_test(bounces),  cmocka_unit_test(delays),    cmocka_unit_test(conditions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
