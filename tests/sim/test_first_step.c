/* The first step: a model that begins without any curvature is not stepped across, at the start and
 * behind events, with one output interval and with many. Waves whose periods fit into the interval
 * look flat from both of its ends. */
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

static double run(const char *text, double stop, uint32_t steps, SolSolver solver)
{
    SimLab *lab = sim_lab_text(text, &(SolOptions){.stop = stop, .steps = steps, .solver = solver});
    assert_int_equal(sim_lab_run(lab, stop), SOL_OK);
    double x = sim_lab_value(lab, "x");
    sim_lab_close(lab);
    return x;
}

static const SolSolver SOLVERS[] = {SOL_SOLVER_IDA, SOL_SOLVER_RK, SOL_SOLVER_AUTO};

/* x = sin(w*time)/w, over 1 to 50 periods in 1 to 4 intervals. */
static void test_waves(void **state)
{
    (void)state;
    char text[400];
    for (size_t k = 0; k < 3; k++)
        for (int periods = 1; periods <= 50; periods = 2 * periods + 3)
            for (uint32_t steps = 1; steps <= 4; steps++) {
                double w = 2 * acos(-1) * periods;
                snprintf(text, sizeof text,
                         "model M interface: static Real x; implementation:\n"
                         "    der(x = x, start << 0) = cos(%.17g*time); end M;\n",
                         w);
                near_to(run(text, 1, steps, SOLVERS[k]), 0, 1e-4);
                near_to(run(text, 1 + 0.25 / periods, steps, SOLVERS[k]), 1 / w, 1e-4);
            }
}

/* A spring pulled by a force that begins as time^3: all derivatives that the start shows are 0. */
static void test_from_rest(void **state)
{
    (void)state;
    static const char text[] = "model M interface: static Real x; implementation: static Real v;\n"
                               "    v = der(x = x, start << 0);\n"
                               "    der(x = v, start << 0) = -25*x + time^3;\n"
                               "end M;\n";
    double stop = 12, w = 5; /* x = t^3/25 - 6 t/625 + 6 sin(5t)/3125 */
    double x = stop * stop * stop / 25 - 6 * stop / 625 + 6 * sin(w * stop) / 3125;
    for (size_t k = 0; k < 3; k++)
        for (uint32_t steps = 1; steps < 100; steps = 5 * steps)
            near_to(run(text, stop, steps, SOLVERS[k]), x, 2e-3);
}

/* Nothing moves until an event; behind it a wave begins. */
static void test_behind_event(void **state)
{
    (void)state;
    static const char text[] =
        "model M interface: static Real x; implementation: static Boolean on;\n"
        "    when time >= 0.5 then on << true; end when;\n"
        "    if on then der(x = x) = 1 - cos(4*3.141592653589793*(time - 0.5));\n"
        "    else then der(x = x, start << 0) = 0; end if;\n"
        "end M;\n";
    for (size_t k = 0; k < 3; k++)
        for (uint32_t steps = 1; steps < 100; steps = 3 * steps) {
            near_to(run(text, 4.5, steps, SOLVERS[k]), 4, 1e-4);
            near_to(run(text, 4.125, steps, SOLVERS[k]), 3.625 - 1 / (4 * acos(-1)), 1e-4);
        }
}

/* Two modes that want steps of other lengths, 200 times each: the step that fitted at the begin of one of them is tried when it
 * comes again, not the one from the mode before. The end is known from the exponentials of both. */
static void test_modes_that_return(void **state)
{
    (void)state;
    static const char text[] =
        "model M interface: static Real x; implementation: static Boolean fast; static Real v;\n"
        "    fast << mod(time, 1) < 0.5; der(x = x, start << 0) = v;\n"
        "    if fast then v = 40*(1 - x); else then v = -x/2; end if;\n"
        "end M;\n";
    static const SolSolver solvers[] = {SOL_SOLVER_RK, SOL_SOLVER_RODAS};
    double x = 0;
    for (int i = 0; i < 200; i++)
        x = (1 + (x - 1) * exp(-20)) * exp(-0.25);
    for (size_t k = 0; k < 2; k++) {
        SolStats stats;
        SimLab *lab = sim_lab_text(
            text,
            &(SolOptions){
                .stop = 200, .interval = 10, .solver = solvers[k], .rtol = 1e-8, .atol = 1e-10});
        assert_int_equal(sim_lab_run(lab, 200), SOL_OK);
        near_to(sim_lab_value(lab, "x"), x, 1e-7);
        sol_stats(lab->sim, &stats);
        assert_true(stats.events_count >= 398);
        if (stats.error_test_failures > stats.events_count / 4)
            fail_msg("%d steps failed, of %d", (int)stats.error_test_failures, (int)stats.steps);
        sim_lab_close(lab);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_waves),
        cmocka_unit_test(test_from_rest),
        cmocka_unit_test(test_behind_event),
        cmocka_unit_test(test_modes_that_return),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
