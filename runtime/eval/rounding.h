/* rounding.h: relations and values -> are they satisfied as well as numbers of 53 bits can be? */
#ifndef RUNTIME_EVAL_ROUNDING_H
#define RUNTIME_EVAL_ROUNDING_H

#include "runtime/eval/eval.h"

/* Every relation of the loop, with the present values: left minus right is no more than rounding of
 * the terms it consists of. */
bool rounding_satisfies(Sim *sim, const EvalNode *node);

/* Is one of them off by a hundredth of its terms, where a sine counts as 1 at the most? A small part of an angle of 1e9 is many turns, so
 * what it could move the sine by says nothing. */
bool rounding_is_gross(Sim *sim, const EvalNode *node);

/* What the terms of an expression over vars would add up to if none of them cancelled. */
double rounding_size(Sim *sim, X x, const uint32_t *vars);

#endif
