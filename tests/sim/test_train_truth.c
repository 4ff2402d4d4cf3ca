/* test_train_truth.c: random shafts and sliders with contacts over time -> the motion and the
 * forces that an event-driven stepping of their equations by a matrix exponential finds
 * (tests/support/net_truth.h).
 *
 *     test_train_truth             some hundreds of them
 *     test_train_truth print SEED  prints one and what was found
 */
#include "tests/support/slow.h"
#include "tests/support/soak.h"
#include "tests/support/truth_lab.h"

#include <stdlib.h>

static TruthVerdict check_seed(uint64_t seed, bool print, TruthTally *tally)
{
    Network net;
    network_random(&net, seed, seed % 2 ? NET_ROTATION : NET_TRANSLATION);
    return truth_check(&net, print, tally);
}

/* Trains in which something was found: a derivative held against values beyond the step of another
 * part, a break-away between two looks, steps undone because of slopes that nobody had evaluated, a source
 * that goes on at the event of another part, held against the time before it. */
static const uint64_t FOUND[] = {302474, 6100571, 128, 6200780, 730124077};

int main(int argc, char **argv)
{
    static TruthTally tally;
    if (argc > 2)
        return check_seed(strtoull(argv[2], NULL, 10), true, &tally) == TRUTH_WRONG;
    for (size_t i = 0; i < sizeof FOUND / sizeof *FOUND && !getenv("SOAK_SEED"); i++)
        if (check_seed(FOUND[i], false, &tally) != TRUTH_RIGHT)
            return 1;
    Soak soak = soak_begin("trains over time", SLOW_BUILD ? 30 : 300, 1);
    while (soak_next(&soak))
        if (check_seed(soak.seed, false, &tally) == TRUTH_WRONG)
            soak_failed(&soak);
    soak_end(&soak);
    truth_report("trains", &tally);
    return !truth_passed(&tally);
}
