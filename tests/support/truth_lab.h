/* truth_lab.h: networks run by the program against tests/support/net_truth.h: right, wrong or
 * refused, and why; what is wrong is made smaller and printed.
 */
#ifndef TESTS_SUPPORT_TRUTH_LAB_H
#define TESTS_SUPPORT_TRUTH_LAB_H

#include "tests/support/net_truth.h"

#include <stdio.h>

enum { TRUTH_CAUSES = 64, TRUTH_CAUSE = 100 };

typedef enum TruthVerdict { TRUTH_RIGHT, TRUTH_WRONG, TRUTH_REFUSED } TruthVerdict;

typedef struct TruthCause {
    char text[TRUTH_CAUSE]; /* of the message, without numbers and names; or why nothing is known */
    uint32_t n;
    uint64_t seed; /* of the first */
} TruthCause;

typedef struct TruthTally {
    uint32_t networks, right, wrong, refused, points, events;
    uint32_t tightened;         /* right only with tighter tolerances, and nearly right before */
    uint64_t steps, iterations; /* of IDA and its Newton */
    double worst;               /* deviation of those that are right */
    uint64_t worst_seed;
    TruthCause refusals[TRUTH_CAUSES], doubts[TRUTH_CAUSES];
} TruthTally;

/* One network; `print`: its text, messages and comparison, whatever they are. */
TruthVerdict truth_check(const Network *net, bool print, TruthTally *tally);
void truth_report(const char *name, const TruthTally *tally);
/* All of its networks were seen: none is wrong, few are refused, most were compared. */
bool truth_passed(const TruthTally *tally);

#endif
