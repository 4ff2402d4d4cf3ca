/* Failures of the numerics: each names time, equation, instance and values, ends with SOL_NUMERICS,
 * and comes when it has to. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/support/sim_lab.h"

#include <math.h>
#include <stdio.h>

typedef struct Failing {
    const char *equations; /* of model Cell, whose instance is `a` */
    double time, tolerance;
    const char *said[4];     /* of all solvers with error control */
    const char *by_euler[2]; /* of Euler; NULL: it steps over it */
} Failing;

static void check_said(SimLab *lab, const char *const *said, int most, SolSolver solver)
{
    for (int i = 0; i < most && said[i]; i++)
        if (!sim_lab_said(lab, said[i])) {
            sol_print_messages(lab->model, 0, stderr, false);
            fail_msg("solver %d did not say '%s'", (int)solver, said[i]);
        }
}

static void check(const Failing *what)
{
    char text[1000];
    snprintf(text, sizeof text,
             "model Cell\nimplementation:\n%s\nend Cell;\n"
             "model Top\nimplementation:\n  static Cell a;\nend Top;\n",
             what->equations);
    const SolSolver solvers[] = {SOL_SOLVER_IDA, SOL_SOLVER_RK, SOL_SOLVER_AUTO, SOL_SOLVER_EULER};
    for (int k = 0; k < 4; k++) {
        bool euler = solvers[k] == SOL_SOLVER_EULER;
        if (euler && !what->by_euler[0])
            continue;
        SimLab *lab = sim_lab_text(
            text, &(SolOptions){.stop = 2, .steps = 50, .step = 0.01, .solver = solvers[k]});
        assert_int_equal(sol_run_to(lab->sim, 2), SOL_NUMERICS);
        double tolerance = euler ? what->tolerance + 0.2 : what->tolerance;
        if (!(fabs(sol_time(lab->sim) - what->time) <= tolerance))
            fail_msg("solver %d: at %.12g instead of %.12g", (int)solvers[k], sol_time(lab->sim),
                     what->time);
        check_said(lab, euler ? what->by_euler : what->said, euler ? 2 : 4, solvers[k]);
        sim_lab_close(lab);
    }
}

static void test_log_of_negative(void **state)
{
    (void)state;
    check(&(Failing){"  static Real x;\n  der(x = x, start << 1) = -2 + log(x = x)*0.1;",
                     0.47718,
                     1e-4,
                     {"at time 0.4771", "integration failed with steps of",
                      "a.x = ", "der(a.x) = -2 + log(a.x)*0.1 has no value with a.x = -"},
                     {"der(a.x) is", "with a.x = -"}});
}

static void test_root_of_negative(void **state)
{
    (void)state;
    check(&(Failing){"  static Real h;\n  der(x = h, start << 1) = -2*sqrt(x = h) - 0.5;",
                     0.59764,
                     1e-4,
                     {"at time 0.5976", "has no value with a.h = -"},
                     {"der(a.h) is", "with a.h = -"}});
}

static void test_solution_that_ends(void **state)
{
    (void)state;
    check(&(Failing){"  static Real x; static Real y;\n"
                     "  der(x = x, start << 1) = -1 - 0.1*y;\n"
                     "  y^2 + sin(x = y)*0.1 = x - 0.5;",
                     0.48218,
                     1e-3,
                     {"at time 0.482", "a.y^2 + sin(a.y)*0.1 = a.x - 0.5 has no solution"},
                     {"could not be solved for a.y", "is off by"}});
}

static void test_pole(void **state)
{
    (void)state;
    check(&(Failing){"  static Real x;\n  der(x = x, start << 1) = x^2;",
                     1,
                     1e-4,
                     {"steps have become as short as rounding", "changes fastest there",
                      "its equation: der(a.x) = a.x^2"},
                     {"der(a.x) is inf", "with a.x = "}});
}

static void test_overflow(void **state)
{
    (void)state;
    check(&(Failing){"  static Real x;\n  der(x = x, start << 1) = exp(x = x*x);",
                     0.1394,
                     1e-3,
                     {"integration failed", "its equation: der(a.x) = exp(a.x*a.x)"},
                     {"der(a.x) is inf", "with a.x = "}});
}

static void test_division_by_zero(void **state)
{
    (void)state;
    check(&(Failing){"  static Real x; static Real y;\n  der(x = x, start << 1) = -1/y;\n"
                     "  y = 1 - time;",
                     1,
                     1e-6,
                     {"at time ", "its equation: der(a.x) = -1/a.y"},
                     {NULL}});
}

/* Two equations that are the same one when k passes 1. */
static void test_loop_turns_singular(void **state)
{
    (void)state;
    check(&(Failing){"  static Real p; static Real q; static Real k; static Real w;\n"
                     "  der(x = k, start << 2) = -1;\n  der(x = w, start << 0) = p;\n"
                     "  p + k*q = 1;\n  p + q = 2;",
                     1,
                     1e-6,
                     {"at time ", "integration failed", "a.w = "},
                     {NULL}});
}

static void test_start_is_no_number(void **state)
{
    (void)state;
    check(&(Failing){"  static Real x; static Real y;\n  y << sqrt(x = -1.0);\n"
                     "  der(x = x, start << y) = -1;",
                     0,
                     0,
                     {"at time 0 the start value of a.x is no number"},
                     {"at time 0 the start value of a.x is no number"}});
}

static void test_no_solution_at_start(void **state)
{
    (void)state;
    check(&(Failing){"  static Real x; static Real y;\n  der(x = x, start << 1) = y;\n"
                     "  y^2 + x^2 = 0.5;",
                     0,
                     0,
                     {"at time 0, 1 equation could not be solved for a.y", "is off by", "a.x = 1"},
                     {"at time 0, 1 equation could not be solved for a.y", "is off by"}});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_log_of_negative),
        cmocka_unit_test(test_root_of_negative),
        cmocka_unit_test(test_solution_that_ends),
        cmocka_unit_test(test_pole),
        cmocka_unit_test(test_overflow),
        cmocka_unit_test(test_division_by_zero),
        cmocka_unit_test(test_loop_turns_singular),
        cmocka_unit_test(test_start_is_no_number),
        cmocka_unit_test(test_no_solution_at_start),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
