/* loop_rank.h: is a linear loop singular up to rounding of its factors? Private to runtime/. The rule stands in loop_rank.c. */
#ifndef RUNTIME_EVAL_LOOP_RANK_H
#define RUNTIME_EVAL_LOOP_RANK_H

#include "runtime/eval/eval.h"

#include <float.h>

/* Up to what part of itself a factor is known, one that was given and one that varies; what is left of 1 where a loop is looked at. */
#define LOOP_RANK_GIVEN (32 * DBL_EPSILON)
#define LOOP_RANK_VARYING 1e-10
#define LOOP_RANK_LOST 1e-9

/* Of a torn loop with factors: does little more than rounding remain on the way through its steps, or in its factors? All tangents are
 * 0 before and after. */
bool loop_rank_torn_loses_digits(Sim *sim, EvalNode *node);

/* What part of themselves the factors have to change by to make the loop singular. Infinite: none does, or it is too large. */
double loop_rank_distance(Sim *sim, const EvalNode *node);

#endif
