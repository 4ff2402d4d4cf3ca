/* loop_combine.h: a loop that is singular by its numbers -> a combination of its relations in the
 * place of one of them, with the next commit. */
#ifndef RUNTIME_EVAL_LOOP_COMBINE_H
#define RUNTIME_EVAL_LOOP_COMBINE_H

#include "runtime/eval/eval.h"

/* False: nothing is hidden there that exact sums would show. */
bool loop_combine(Sim *sim, const EvalNode *node);

#endif
