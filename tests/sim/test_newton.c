/* a wrong Jacobian gives right answers slowly: how many Newton iterations a step of a linear model takes. With the right one the
 * first iteration ends it, but for steps whose length changed since it was made. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/support/sim_lab.h"

#include <stdio.h>

/* Heat in a rod, with a term that leads across it: several colours, none of which can be exchanged for another. */
static const char rod[] = "model Rod\n"
                          "interface:\n"
                          "  parameter Integer n << 30;\n"
                          "implementation:\n"
                          "  static Real T[n];\n"
                          "  der(x = T[1], start << 1) = 100*(T[2] - 2*T[1]) + sin(x = 7*time);\n"
                          "  for i in 2:n-1 then\n"
                          "    der(x = T[i], start << i) = 100*(1.5*T[i-1] - 2.7*T[i] + T[i+1]);\n"
                          "  end for;\n"
                          "  der(x = T[n], start << 0) = 100*(T[n-1] - T[n] - 0.1*T[1]);\n"
                          "end Rod;\n";

static void check(SolLinear linear, SolEngine engine, const char *n)
{
    SolStats stats;
    SimLab *lab = sim_lab_text(rod, &(SolOptions){.audit = SIM_LAB_UNAUDITED,
                                                  .solver = SOL_SOLVER_IDA,
                                                  .linear = linear,
                                                  .engine = engine,
                                                  .n_sets = 1,
                                                  .sets = &(SolSet){"n", n}});
    assert_int_equal(sim_lab_run(lab, 1), SOL_OK);
    sol_stats(lab->sim, &stats);
    printf("%s states: %lu steps, %lu iterations\n", n, (unsigned long)stats.steps,
           (unsigned long)stats.newton_iterations);
    assert_true(stats.steps > 50);
    assert_true(10 * stats.newton_iterations < 15 * stats.steps);
    sim_lab_close(lab);
}

static void linear_models_need_one_iteration(void **state)
{
    (void)state;
    check(SOL_LINEAR_DENSE, SOL_ENGINE_INTERP, "30");
    check(SOL_LINEAR_KLU, SOL_ENGINE_INTERP, "30");
    check(SOL_LINEAR_KLU, SOL_ENGINE_JIT, "200");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(linear_models_need_one_iteration)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
