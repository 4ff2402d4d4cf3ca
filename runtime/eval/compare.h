/* compare.h: comparisons inside nodes, and functions that jump: what they are now. Private to runtime/. */
#ifndef RUNTIME_EVAL_COMPARE_H
#define RUNTIME_EVAL_COMPARE_H

#include "ddp/apply.h"
#include "runtime/eval/hold.h"

enum { TIE_EQUAL = 2 }; /* Compare.tie: does not leave its boundary */

#define EACH_COMPARE(sim, list, node, compare)                                                     \
    for (uint32_t i_ = 0; i_ < (list)->n; i_++)                                                    \
        for (EvalNode *node = compare_node(sim, list, i_); node; node = NULL)                      \
            for (Compare *compare = node->compare; compare < node->compare + node->n_compares;     \
                 compare++)

/* A sweep over the comparisons of thousands of nodes waits for memory: what the next ones need is fetched. */
enum { COMPARE_AHEAD = 4 };
static inline void compare_fetch(const Sim *sim, const NodeList *list, uint32_t i)
{
    if (i + 3 * COMPARE_AHEAD >= list->n)
        return;
    const EvalNode *far = &sim->nodes.at[list->at[i + 3 * COMPARE_AHEAD]];
    __builtin_prefetch(far);
    __builtin_prefetch(&far->compare);
    const EvalNode *near = &sim->nodes.at[list->at[i + 2 * COMPARE_AHEAD]];
    __builtin_prefetch(near->compare);
    __builtin_prefetch(near->ops);
    const EvalNode *next = &sim->nodes.at[list->at[i + COMPARE_AHEAD]];
    if (next->ops)
        __builtin_prefetch(next->ops->vars);
}

static inline EvalNode *compare_node(const Sim *sim, const NodeList *list, uint32_t i)
{
    compare_fetch(sim, list, i);
    return &sim->nodes.at[list->at[i]];
}

static inline XOp compare_kind(const Sim *sim, const Compare *compare)
{
    return (XOp)x_node(sim->forms, compare->self).op;
}

/* Plain ones go without the interpreter: all of them are looked at in every event of their part. */
static inline double compare_left_side(const Sim *sim, const uint32_t *vars, const Compare *compare)
{
    return sim->value[vars[compare->first - 1]];
}

static inline double compare_right_side(const Sim *sim, const uint32_t *vars,
                                        const Compare *compare)
{
    return compare->second ? sim->value[vars[compare->second - 1]] : compare->constant;
}

static inline double compare_self(Sim *sim, const EvalNode *node, const Compare *compare)
{
    const uint32_t *vars = node->ops[compare->op].vars;
    if (!compare->first)
        return evaluate_code(sim, compare->self_code, vars);
    return x_apply_binary(compare->kind, compare_left_side(sim, vars, compare),
                          compare_right_side(sim, vars, compare));
}

static inline double compare_difference(Sim *sim, const EvalNode *node, const Compare *compare)
{
    const uint32_t *vars = node->ops[compare->op].vars;
    if (!compare->first)
        return evaluate_code(sim, compare->difference_code, vars);
    return compare_left_side(sim, vars, compare) - compare_right_side(sim, vars, compare);
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
/* A comparison of the node was decided at its boundary, now, at a time that is known up to `moment`; `list`: it is among
 * those forgotten together. */
void compare_note_tie(Sim *sim, DdpNode node, bool list, double moment);
double compare_ties_end(const Sim *sim); /* when all of them have left their boundary */
const NodeList *compare_tied_nodes(const Sim *sim);
void compare_pack_ties(Sim *sim, Pack *p); /* for a checkpoint */
void compare_forget_ties(Sim *sim);
bool compare_ties_hold(const Sim *sim); /* what was decided at the last event is not past */

/* The time of the next time event of the nodes behind Sim.time, infinite when there is none. */
double compare_next_time(Sim *sim, const NodeList *nodes);
/* The length of the intervals in which somebody looks. */
double compare_look(const Sim *sim);
/* How exactly it is known at this time: Compare.rounding, Compare.tolerance. */
void compare_renew_bound(Sim *sim, const EvalNode *node, Compare *compare, double time);
/* Was what this condition compares, before it changed, further away than the integrator's errors lead? */
bool compare_came_from_afar(Sim *sim, DdpVar condition);
bool compare_any_from_afar(Sim *sim, const NodeList *list); /* one of those that moved */
/* Remembers the values of the comparisons in `list` as those at the begin of the interval. */
void compare_remember(Sim *sim, const NodeList *list);
void compare_remember_moved(Sim *sim, const NodeList *list);

#endif
