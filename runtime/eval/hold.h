/* hold.h: jumps that are kept between events, and their boundaries. Private to runtime/. */
#ifndef RUNTIME_EVAL_HOLD_H
#define RUNTIME_EVAL_HOLD_H

#include "runtime/sim_int.h"

bool hold_is_jump(XOp op);

/* An expression over the positions of an operation of the node, with what the node keeps as places.
 */
X hold_in(Sim *sim, const EvalNode *node, uint32_t op, X x);
void hold_forget(Sim *sim, EvalNode *node); /* the node goes, and its places with it */
/* The same where all nodes go: the numbers of its places are free at once, the youngest first. */
void hold_drop(Sim *sim, EvalNode *node);

/* All that a node keeps, from its arguments as they are now; true: something has another value. */
bool hold_renew(Sim *sim, const EvalNode *node);
/* The same in an event, and SOL_NUMERICS with a message when one of them jumps to and fro (U6: it
 * slides). */
SolStatus hold_decide(Sim *sim, const EvalNode *node, bool *changed);
SolStatus hold_loop_jumped(Sim *sim, const EvalNode *node); /* some of it did, in an event */
bool hold_is_outdated(Sim *sim, const EvalNode *node);      /* would that be so? */
/* Nodes of the list that keep what is no longer so have to be evaluated; false: there are none. */
bool hold_touch_outdated(Sim *sim, const NodeList *list);

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
