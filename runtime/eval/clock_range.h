/* clock_range.h: what the clock alone drives -> between which values it lies for a while. */
#ifndef RUNTIME_EVAL_CLOCK_RANGE_H
#define RUNTIME_EVAL_CLOCK_RANGE_H

#include "runtime/part.h"

typedef struct Range {
    double low, high; /* both within; -INFINITY, INFINITY: anything */
} Range;

typedef struct ClockRange {
    Range value, slope;
} ClockRange;

/* Of the difference of a comparison, while the clock goes from one time to the other. Never too narrow. False: something else than the
 * clock drives it, or it is made of too much. */
bool clock_range(const Sim *sim, const EvalNode *node, const Compare *compare, double from,
                 double to, ClockRange *range);

#endif
