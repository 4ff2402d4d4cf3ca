/* hold.h: jumps that are kept between events, and their boundaries. Private to runtime/. */
#ifndef RUNTIME_EVAL_HOLD_H
#define RUNTIME_EVAL_HOLD_H

#include "runtime/eval/eval.h"

static inline bool hold_is_comparison(unsigned op)
{
    return op >= X_LT && op <= X_GT;
}

static inline bool hold_is_jump(XOp op)
{
    return hold_is_comparison(op) || (op >= X_SIGN && op <= X_ROUND) || op == X_MOD;
}

void hold_make_compares(Sim *sim, EvalNode *node);
void hold_close(Sim *sim);
/* They are what hold_make_compares() would make: of what the node reads, the same varies. */
bool hold_compares_stay(const Sim *sim, const EvalNode *node);

/* An expression over the positions of an operation of the node, with what the node keeps as places.
 */
X hold_in(Sim *sim, const EvalNode *node, uint32_t op, X x);
void hold_forget(Sim *sim, EvalNode *node); /* the node goes, and its places with it */
/* The same where all nodes go: the numbers of its places are free at once, the youngest first. */
void hold_drop(Sim *sim, EvalNode *node);

double hold_value_now(Sim *sim, const EvalNode *node, const Compare *compare); /* of what is kept */
/* All that a node keeps, from its arguments as they are now; true: something has another value. */
bool hold_any(const Sim *sim); /* does some node keep anything? */
bool hold_renew(Sim *sim, const EvalNode *node);
bool hold_is_outdated(Sim *sim, const EvalNode *node); /* would that be so? */

/* The boundary next to an argument; that which is reached first from inside a piece; and the value
 * behind a boundary that is left in a direction. Those of comparisons and of sign lie at 0. */
double hold_boundary(XOp op, double argument);
double hold_ahead(XOp op, double value, bool up);
double hold_leaving(XOp op, double boundary, double direction);

/* The next jump of what is kept and timed, or NaN. */
double hold_next_time(Sim *sim, const EvalOp *op, const Compare *compare);
/* Has this time come? Times that differ by rounding are one. */
bool hold_reached(const Sim *sim, double time);

#endif
