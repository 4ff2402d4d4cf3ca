/* looks.h: how far apart the looks at comparisons are that the clock drives. */
#ifndef RUNTIME_LOOKS_H
#define RUNTIME_LOOKS_H

#include "runtime/part.h"

/* Looks behind `from` follow, in pieces so long. The first ones are near each other unless the last look was there. */
void looks_begin(PartLooks *looks, double from, double piece);
/* The next look, `end` at most. */
double looks_next(const PartLooks *looks, double end);
/* What is known of one difference: what it was at the last two looks, how much it moves from look to look, and its nominal
 * value. */
typedef struct LookBack {
    double lower, low, swing, nominal;
} LookBack;
/* It is `now` at `at`: by how much of its swing that is not what the last looks led to expect. */
double looks_surprise(const PartLooks *looks, double at, LookBack back, double now);
double looks_swing(const PartLooks *looks, double at, LookBack back, double now); /* if it counts */
/* Was the largest surprise so large that something may lie in between? Then the next look is nearer. */
bool looks_too_far(PartLooks *looks, double at, double surprise);
void looks_accept(PartLooks *looks, double at);

#endif
