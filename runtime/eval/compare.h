/* compare.h: comparisons inside nodes, and functions that jump: what they are now. Private to runtime/. */
#ifndef RUNTIME_EVAL_COMPARE_H
#define RUNTIME_EVAL_COMPARE_H

#include "runtime/eval/hold.h"

enum { TIE_EQUAL = 2 }; /* Compare.tie: does not leave its boundary */

#define EACH_COMPARE(sim, list, node, compare)                                                     \
    for (uint32_t i_ = 0; i_ < (list)->n; i_++)                                                    \
        for (EvalNode *node = &(sim)->nodes.at[(list)->at[i_]]; node; node = NULL)                 \
            for (Compare *compare = node->compare; compare < node->compare + node->n_compares;     \
                 compare++)

static inline XOp compare_kind(const Sim *sim, const Compare *compare)
{
    return (XOp)x_node(sim->forms, compare->self).op;
}

static inline double compare_self(Sim *sim, const EvalNode *node, const Compare *compare)
{
    return evaluate_code(sim, compare->self_code, node->ops[compare->op].vars);
}

/* Of a plain one without the interpreter: all of them are looked at in every event of their part. */
static inline double compare_difference(Sim *sim, const EvalNode *node, const Compare *compare)
{
    const uint32_t *vars = node->ops[compare->op].vars;
    if (!compare->first)
        return evaluate_code(sim, compare->difference_code, vars);
    double right = compare->second ? sim->value[vars[compare->second - 1]] : compare->constant;
    return sim->value[vars[compare->first - 1]] - right;
}

void compare_forget(EvalNode *node); /* as they were when made */
double compare_value_of(Sim *sim, const EvalOp *op, X x);
/* The same expression with `part` replaced by a constant. */
X compare_replace(Sim *sim, X x, X part, double constant);
double compare_tied_value(const Sim *sim,
                          const Compare *compare); /* what a tie was decided to be */
/* The node's value with one comparison decided. */
void compare_force(Sim *sim, DdpNode n, const Compare *compare, double now);
/* Comparisons of the clock that are at their boundary take the value they have just afterwards. */
void compare_break_ties(Sim *sim, DdpNode node);
/* A comparison of the node was decided at its boundary, now; `list`: it is among those forgotten together. */
void compare_note_tie(Sim *sim, DdpNode node, bool list);
const NodeList *compare_tied_nodes(const Sim *sim);
void compare_pack_ties(Sim *sim, Pack *p); /* for a checkpoint */
void compare_forget_ties(Sim *sim);
bool compare_ties_hold(const Sim *sim); /* what was decided at the last event is not past */

/* The time of the next time event of the nodes behind Sim.time, infinite when there is none. */
double compare_next_time(Sim *sim, const NodeList *nodes);
/* The length of the intervals in which somebody looks. */
double compare_look(const Sim *sim);
/* Remembers the values of the comparisons in `list` as those at the begin of the interval. */
void compare_remember(Sim *sim, const NodeList *list);
void compare_remember_moved(Sim *sim, const NodeList *list);

#endif
