/* Start values that satisfy all equations are a start, also where a Jacobian is singular there;
 * what does not satisfy them is none. Which states count: those declared first; none that a
 * constraint holds at 0. */
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

/* x - sin(x) = u has one solution, by bisection; at u = 0 it is 0, where the derivative vanishes.
 */
static double kepler(double u)
{
    double lo = u - 1, hi = u + 1;
    for (int i = 0; i < 200; i++) {
        double x = (lo + hi) / 2;
        *(x - sin(x) < u ? &lo : &hi) = x;
    }
    return (lo + hi) / 2;
}

static void test_flat_solution(void **state)
{
    (void)state;
    SimLab *lab = sim_lab_text("model M interface: static Real x; implementation:\n"
                               "    0 = sin(3*time) + x - sin(x);\n"
                               "end M;\n",
                               &(SolOptions){.stop = 1});
    assert_int_equal(sim_lab_run(lab, 0), SOL_OK);
    near_to(sim_lab_value(lab, "x"), 0, 1e-12);
    for (int i = 1; i <= 10; i++) {
        assert_int_equal(sim_lab_run(lab, 0.1 * i), SOL_OK);
        near_to(sim_lab_value(lab, "x"), kepler(-sin(0.3 * i)), 1e-9);
    }
    sim_lab_close(lab);
}

static void fails(const char *text)
{
    SimLab *lab = sim_lab_text(text, &(SolOptions){.stop = 1});
    assert_int_not_equal(sim_lab_run(lab, 1), SOL_OK);
    sim_lab_close(lab);
}

/* A vanishing derivative is no solution, nor are equations that leave something open. */
static void test_no_solution(void **state)
{
    (void)state;
    fails("model M interface: static Real x; implementation: x^2 + 1 = 0; end M;\n");
    fails("model M interface: static Real x; implementation: x^4 + exp(x^2)/1000000 = 0; end M;\n");
    fails("model M interface: static Real x; static Real y; implementation:\n"
          "    x*(1 + time) + y*(1 + time) = 1; 2*x + 2*y = 2 + 0.001*time; end M;\n");
}

/* Two wheels on one shaft, four variables that could be states, two that can be. */
static SimLab *shaft(const char *first, const char *second)
{
    char text[800];
    snprintf(text, sizeof text,
             "model M interface:\n"
             "    static Real a; static Real b; static Real va; static Real vb; static Real f;\n"
             "implementation:\n"
             "    %s\n    %s\n"
             "    a = b + sin(b)/10;\n"
             "end M;\n",
             first, second);
    return sim_lab_text(text, &(SolOptions){.stop = 1});
}

static void test_declared_first(void **state)
{
    (void)state;
    static const char a[] =
        "va = derState(x = a, start << 1); derState(x = va, start << 2) = 0 - f;";
    static const char b[] = "vb = derState(x = b, start << 5); derState(x = vb, start << 7) = f;";
    SimLab *lab = shaft(a, b);
    assert_int_equal(sol_init(lab->sim), SOL_OK);
    near_to(sim_lab_value(lab, "a"), 1, 1e-12);
    near_to(sim_lab_value(lab, "va"), 2, 1e-12);
    sim_lab_close(lab);
    lab = shaft(b, a);
    assert_int_equal(sol_init(lab->sim), SOL_OK);
    near_to(sim_lab_value(lab, "b"), 5, 1e-12);
    near_to(sim_lab_value(lab, "vb"), 7, 1e-12);
    sim_lab_close(lab);
}

/* A blade on a turning arm: it slides along the arm's normal only, so the speed s' along the arm is
 * 0 by two equations together, not by one of them. The arm turns by a constant torque: w = T/(J + m
 * s^2) t. */
static void test_held_at_zero(void **state)
{
    (void)state;
    SimLab *lab =
        sim_lab_text("model M interface:\n"
                     "    static Real s; static Real v; static Real phi; static Real w; static "
                     "Real x; static Real y;\n"
                     "implementation:\n"
                     "    static Real vx; static Real vy; static Real fx; static Real fy; static "
                     "Real f; static Real u;\n"
                     "    v = derState(x = s, start << 1.5);\n"
                     "    0 = fx*cos(phi) + fy*sin(phi) + 0*derState(x = v, start << 0);\n"
                     "    w = derState(x = phi, start << 0.3);\n"
                     "    0.5*derState(x = w, start << 0) = 3 + s*(fx*sin(phi) - fy*cos(phi));\n"
                     "    x = s*cos(phi); y = s*sin(phi);\n"
                     "    vx = der(x = x); vy = der(x = y);\n"
                     "    2*der(x = vx) = fx - f*cos(phi);\n"
                     "    2*der(x = vy) = fy - f*sin(phi);\n"
                     "    vx = 0 - u*sin(phi); vy = u*cos(phi);\n"
                     "end M;\n",
                     &(SolOptions){.stop = 2, .rtol = 1e-8});
    assert_int_equal(sim_lab_run(lab, 2), SOL_OK);
    near_to(sim_lab_value(lab, "s"), 1.5, 1e-7);
    near_to(sim_lab_value(lab, "w"), 3 / (0.5 + 2 * 1.5 * 1.5) * 2, 1e-5);
    sim_lab_close(lab);
}

/* ---- start values that need their own state ---- */

static void begins(const char *equations, double time, double value, const char *said)
{
    char text[800];
    snprintf(text, sizeof text,
             "model M interface: static Real a; static Real b; static Real y; static Boolean on;\n"
             "implementation:\n  when time > 0.5 then on << true; end;\n%s\nend M;\n",
             equations);
    SimLab *lab = sim_lab_text(text, &(SolOptions){.stop = 1});
    assert_int_equal(sim_lab_run(lab, time), SOL_OK);
    if (said && !sim_lab_said(lab, said))
        sol_print_messages(lab->model, 0, stderr, false);
    assert_true(said ? sim_lab_said(lab, said) : !sim_lab_said(lab, "the start value of"));
    near_to(sim_lab_value(lab, "a"), value, 1e-6);
    sim_lab_close(lab);
}

static void test_start_of_itself(void **state)
{
    (void)state;
    begins("der(a, start << y) = 2 - a; y = a; b = 0;", 0, 2,
           "at time 0 the start value of a needs a itself, by way of y: a starts at 2");
    begins("b = 0; if on then Real r; der(r, start << y) = 2 - r; y = r; a = y;\n"
           "  else then a = 5; y = 0; end;",
           1, 2,
           "the start value of r needs r itself, by way of y, whose value before is 'pre(..)': r "
           "starts at 2");
    begins("der(a, start << b) = 1; der(b, start << a) = 2; y = 0;", 0, 0,
           "at time 0 the start value of a needs b, whose start value waits too: a starts at 0");
}

/* The value of what the new equations determine, as it was before: outside of the branch, of an element that was
 * born with it, and at the start, where it is the variable's own start. */
static void test_start_of_before(void **state)
{
    (void)state;
    begins("b = 0; if on then Real r; der(r, start << pre(y)) = 2 - r; y = r; a = y;\n"
           "  else then a = 5; y = 7*time; end;",
           0.5, 3.5, NULL);
    begins("b = 0; if not on then Real r; der(r, start << pre(y) + 1) = 0; y = r; a = y;\n"
           "  else then Real r; der(r, start << 10*pre(y)) = 0; y = r; a = r; end;",
           1, 10, NULL);
}

/* What has a value before, by a start of its own or by a condition, may be read. */
static void test_start_of_others(void **state)
{
    (void)state;
    begins("der(a, start << y) = 1; der(b, start << 3) = 2; y = b + 1;", 0, 4, NULL);
    begins("der(a, start << b) = 1; der(b) = 2; y = 0;", 0, 0, NULL);
    begins("b = 0; if on then der(a, start << y) = 2 - a; else then a = 5; end; y = a;", 0.5, 5,
           NULL);
    begins("der(a, start << y) = 1; y = a; b = 0; if initial() then y = 9; end;", 0, 9, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_flat_solution),   cmocka_unit_test(test_no_solution),
        cmocka_unit_test(test_declared_first),  cmocka_unit_test(test_held_at_zero),
        cmocka_unit_test(test_start_of_itself), cmocka_unit_test(test_start_of_before),
        cmocka_unit_test(test_start_of_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
