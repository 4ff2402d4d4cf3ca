/* test_made_up.c: systems whose solution was chosen before their equations -> that solution, by
 * every solver.
 *
 * The text comes from tests/support/made_up.c, the values from the trajectories there: nothing of
 * the program is asked what is right. Two curves of one model are at most so far apart as
 * tolerances let them be.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/support/made_up.h"
#include "tests/support/sim_lab.h"
#include "tests/support/slow.h"
#include "tests/support/soak.h"

#include <math.h>
#include <stdio.h>

enum { POINTS = 8 };
#define STOP 2.0
#define ALLOWED 3e-5

typedef struct Tally {
    uint64_t wrong, refused, switches, index[4];
} Tally;

/* The variable that is furthest from its trajectory at the present time; its distance. */
static double furthest(SimLab *lab, const MadeUp *system, uint32_t *var)
{
    double worst = 0;
    for (uint32_t i = 0; i < system->n; i++) {
        char name[16];
        snprintf(name, sizeof name, "v%u", i);
        double chosen = made_up_value(system, i, sol_time(lab->sim));
        double off = fabs(sim_lab_value(lab, name) - chosen) / (1 + fabs(chosen));
        if (!(off <= worst)) {
            worst = isnan(off) ? INFINITY : off;
            *var = i;
        }
    }
    return worst;
}

static bool check_seed(uint64_t seed, Tally *tally)
{
    static MadeUp system;
    static const SolSolver solvers[] = {SOL_SOLVER_IDA, SOL_SOLVER_RK, SOL_SOLVER_AUTO,
                                        SOL_SOLVER_INLINE};
    made_up_random(&system, seed);
    SolOptions options = {.stop = STOP,
                          .steps = 1 + (uint32_t)(seed % 40),
                          .rtol = 1e-8,
                          .solver = solvers[seed % 4],
                          .engine = seed % 2 ? SOL_ENGINE_INTERP : SOL_ENGINE_JIT,
                          .cache = "off"};
    SimLab *lab = sim_lab_text(system.text, &options);
    bool right = true;
    for (int k = 0; k <= POINTS && right; k++) {
        uint32_t var = 0;
        SolStatus status = sim_lab_run(lab, STOP * k / POINTS);
        double off = status == SOL_OK ? furthest(lab, &system, &var) : INFINITY;
        right = off <= ALLOWED;
        tally->refused += status != SOL_OK;
        tally->wrong += status == SOL_OK && !right;
        if (status == SOL_OK && !right)
            print_error("seed %llu: at %g v%u is off by %.3g of its chosen value %.12g\n%s",
                        (unsigned long long)seed, sol_time(lab->sim), var, off,
                        made_up_value(&system, var, sol_time(lab->sim)), system.text);
        else if (!right)
            print_error("seed %llu: refused with status %d at %g\n%s", (unsigned long long)seed,
                        status, sol_time(lab->sim), system.text);
    }
    tally->switches += system.n_switches;
    tally->index[system.index]++;
    sim_lab_close(lab);
    return right;
}

static void chosen_solutions(void **state)
{
    (void)state;
    Tally tally = {0};
    Soak soak = soak_begin("made-up equations", SLOW_BUILD ? 40 : 400, 1);
    while (soak_next(&soak))
        if (!check_seed(soak.seed, &tally))
            soak_failed(&soak);
    soak_end(&soak);
    printf("wrong %llu, refused %llu; of index 2: %llu, of index 3: %llu, branches %llu\n",
           (unsigned long long)tally.wrong, (unsigned long long)tally.refused,
           (unsigned long long)tally.index[2], (unsigned long long)tally.index[3],
           (unsigned long long)tally.switches);
    assert_true(tally.wrong == 0 && tally.refused == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(chosen_solutions)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
