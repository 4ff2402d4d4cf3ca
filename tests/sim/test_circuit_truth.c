/* test_circuit_truth.c: random linear circuits with switches over time -> the currents and
 * potentials that a dense nodal analysis with a matrix exponential finds
 * (tests/support/net_truth.h).
 *
 *     test_circuit_truth             some hundreds of them
 *     test_circuit_truth print SEED  prints one and what was found
 */
#include "tests/support/slow.h"
#include "tests/support/soak.h"
#include "tests/support/truth_lab.h"

#include <stdlib.h>

static TruthVerdict check_seed(uint64_t seed, bool print, TruthTally *tally)
{
    Network net;
    network_switched(&net, seed);
    return truth_check(&net, print, tally);
}

/* Were refused: a relation that was set aside was measured by currents of 1e-19 beside it alone; a torn loop with an
 * open switch in its way grew rounding 29,000 times, and was measured by a current that it had long before. */
static const uint64_t FOUND[] = {5005485, 5006305, 437};

int main(int argc, char **argv)
{
    static TruthTally tally;
    if (argc > 2)
        return check_seed(strtoull(argv[2], NULL, 10), true, &tally) == TRUTH_WRONG;
    for (size_t i = 0; i < sizeof FOUND / sizeof *FOUND && !getenv("SOAK_SEED"); i++)
        if (check_seed(FOUND[i], false, &tally) != TRUTH_RIGHT)
            return 1;
    Soak soak = soak_begin("circuits over time", SLOW_BUILD ? 30 : 300, 1);
    while (soak_next(&soak))
        if (check_seed(soak.seed, false, &tally) == TRUTH_WRONG)
            soak_failed(&soak);
    soak_end(&soak);
    truth_report("circuits", &tally);
    return !truth_passed(&tally);
}
