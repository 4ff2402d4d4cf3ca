/* test_rod.c: heat in a rod of many cells that begins in one of its modes -> the mode decays, and nothing else comes, in closed
 * form for the cells themselves. So many equal cells are batches of a tape, whose slopes go straight to the integrator. */
#include "tests/support/sim_lab.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#define PI 3.14159265358979323846

/* T[i] = sin(i*angle) at the start; both ends are kept at 0. */
static void rod_text(char *text, size_t size, int n, double angle)
{
    snprintf(text, size,
             "model Rod\ninterface: static Real T[%d];\nimplementation:\n"
             "  der(x = T[1], start << sin(%.17g)) = T[2] - 2*T[1];\n"
             "  for i in 2:%d then\n"
             "    der(x = T[i], start << sin(i*%.17g)) = T[i-1] - 2*T[i] + T[i+1];\n"
             "  end for;\n"
             "  der(x = T[%d], start << sin(%d*%.17g)) = T[%d] - 2*T[%d];\nend Rod;\n",
             n, angle, n - 1, angle, n, n, angle, n - 1, n);
}

static void check_rod(int n, int mode, SolSolver solver, SolEngine engine)
{
    char text[1000], name[16];
    double angle = mode * PI / (n + 1), stop = 5, rate = 2 * cos(angle) - 2;
    rod_text(text, sizeof text, n, angle);
    SimLab *lab = sim_lab_text(text, &(SolOptions){.stop = stop,
                                                   .steps = 40,
                                                   .rtol = 1e-8,
                                                   .atol = 1e-10,
                                                   .solver = solver,
                                                   .engine = engine,
                                                   .jit_wait = true,
                                                   .cache = "off"});
    assert_int_equal(sim_lab_run(lab, stop), SOL_OK);
    for (int i = 1; i <= n; i++) {
        snprintf(name, sizeof name, "T[%d]", i);
        double expected = sin(i * angle) * exp(rate * stop);
        if (!(fabs(sim_lab_value(lab, name) - expected) <= 1e-6))
            fail_msg("%d cells, mode %d: %s is %.10g, not %.10g", n, mode, name,
                     sim_lab_value(lab, name), expected);
    }
    sim_lab_close(lab);
}

static void a_mode_decays(void **state)
{
    const int cells[] = {20, 64, 65, 66, 131, 300};
    const SolSolver solvers[] = {SOL_SOLVER_RK, SOL_SOLVER_IDA};
    (void)state;
    for (size_t c = 0; c < sizeof cells / sizeof *cells; c++)
        for (size_t s = 0; s < sizeof solvers / sizeof *solvers; s++) {
            check_rod(cells[c], 1 + cells[c] / 4, solvers[s], SOL_ENGINE_JIT);
            check_rod(cells[c], 1 + cells[c] / 4, solvers[s], SOL_ENGINE_INTERP);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_mode_decays)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
