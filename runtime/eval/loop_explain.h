/* loop_explain.h: a loop that could not be solved -> messages. Private to runtime/. */
#ifndef RUNTIME_EVAL_LOOP_EXPLAIN_H
#define RUNTIME_EVAL_LOOP_EXPLAIN_H

#include "runtime/eval/eval.h"

/* With the values where the iteration came to rest. `tried` says what was done, or is NULL. */
SolStatus loop_explain(Sim *sim, EvalNode *node, const char *tried);

#endif
