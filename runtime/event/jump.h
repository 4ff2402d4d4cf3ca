/* jump.h: what nodes keep between events, at an event. Private to runtime/. */
#ifndef RUNTIME_EVENT_JUMP_H
#define RUNTIME_EVENT_JUMP_H

#include "runtime/event/event.h"
#include "runtime/eval/compare.h"

/* All that a node keeps, from its arguments as they are now. SOL_NUMERICS, with a message, when one of them jumps to
 * and fro (U6: it slides). */
SolStatus jump_decide(Sim *sim, const EvalNode *node, bool *changed);
SolStatus jump_in_loop(Sim *sim,
                       const EvalNode *node); /* some of what a loop keeps has another value */

#endif
