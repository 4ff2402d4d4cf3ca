/* compare.c: a comparison, or a function that jumps, inside a node -> its value, when the clock turns it, and what it
 * is decided to be at its boundary. */
#include "runtime/eval/compare.h"

#include <float.h>
#include <math.h>

void compare_forget(EvalNode *node)
{
    for (Compare *c = node->compare; c < node->compare + node->n_compares; c++) {
        c->left = c->low = c->high = 0;
        c->bound_event = 0;
        c->moved = c->near = c->close = c->masked = false;
        c->tie = 0;
        c->turns = 0;
    }
}

double compare_value_of(Sim *sim, const EvalOp *op, X x)
{
    return x_value(sim->forms, x, op->vars, sim->value, evaluate_foreign, sim);
}

/* ---- time events ---- */

/* When the difference is zero, or what is kept jumps next; NaN when never. */
static double time_of(Sim *sim, const EvalOp *op, const Compare *compare)
{
    if (compare->slot)
        return hold_next_time(sim, op, compare);
    double factor = compare_value_of(sim, op, compare->factor);
    return factor != 0 ? -compare_value_of(sim, op, compare->rest) / factor : NAN;
}

double compare_next_time(Sim *sim, const NodeList *nodes)
{
    double next = INFINITY;
    for (uint32_t i = 0; i < nodes->n; i++) {
        const EvalNode *node = &sim->nodes.at[nodes->at[i]];
        for (uint32_t k = 0; k < node->n_compares; k++) {
            const Compare *compare = &node->compare[k];
            if (!compare->timed)
                continue;
            double time = time_of(sim, &node->ops[compare->op], compare);
            if (!hold_reached(sim, time) && time < next)
                next = time;
        }
    }
    return next;
}

/* ---- comparisons at their boundary ---- */

/* The same expression with `part` replaced by a constant. */
X compare_replace(Sim *sim, X x, X part, double constant)
{
    uint32_t n;
    FormTable *forms = sim->forms;
    X *list = x_nodes(forms, sim->mem, 1, &x, &n);
    Map map = {0};
    for (uint32_t i = 0; i < n; i++) {
        XNode node = x_node(forms, list[i]);
        X a = map_get(&map, node.a), b = map_get(&map, node.b), c = map_get(&map, node.c), y;
        if (list[i] == part)
            y = x_const(forms, constant);
        else if (node.op == X_CONST || node.op == X_POS || node.op >= X_CALL)
            y = list[i];
        else if (node.op == X_SELECT)
            y = x_select(forms, a, b, c);
        else if (node.op >= X_ADD)
            y = x_binary(forms, (XOp)node.op, a, b);
        else
            y = x_unary(forms, (XOp)node.op, a);
        map_put(sim->mem, &map, list[i], y);
    }
    X result = map_get(&map, x);
    map_free(sim->mem, &map);
    mem_free(sim->mem, list);
    return result;
}

static bool is_at_equality(XOp kind)
{
    return kind == X_LE || kind == X_GE || kind == X_EQ;
}

/* What a tie was decided to be. */
double compare_tied_value(const Sim *sim, const Compare *compare)
{
    XOp kind = compare_kind(sim, compare);
    return compare->tie == TIE_EQUAL ? is_at_equality(kind) : hold_leaving(kind, 0, compare->tie);
}

/* The node's value with one comparison decided. */
void compare_force(Sim *sim, DdpNode n, const Compare *compare, double now)
{
    EvalNode *node = &sim->nodes.at[n];
    const EvalOp *op = &node->ops[compare->op];
    if (!op->target || now == evaluate_code(sim, compare->self_code, op->vars))
        return;
    X x = compare_replace(sim, op->value, compare->self, now);
    sim->value[op->target] = compare_value_of(sim, op, x);
}

/* Times that differ by rounding are one. */
static bool is_now(const Sim *sim, double time)
{
    double now = sim_clock(sim);
    return fabs(time - now) <= 2 * DBL_EPSILON * fabs(now);
}

void compare_break_ties(Sim *sim, DdpNode n)
{
    EvalNode *node = &sim->nodes.at[n];
    if (!node->timed && !node->forced)
        return;
    for (uint32_t i = 0; i < node->n_compares; i++) {
        const Compare *compare = &node->compare[i];
        const EvalOp *op = &node->ops[compare->op];
        if (compare->slot)
            continue; /* what is kept was decided before the node was evaluated */
        if (compare->timed && is_now(sim, time_of(sim, op, compare)))
            compare_force(sim, n, compare,
                          hold_leaving(compare_kind(sim, compare), 0,
                                       compare_value_of(sim, op, compare->factor)));
        else if (node->forced && compare->tie != 0 &&
                 (compare->close || evaluate_code(sim, compare->difference_code, op->vars) == 0))
            compare_force(sim, n, compare, compare_tied_value(sim, compare));
    }
}

void compare_note_tie(Sim *sim, DdpNode n, bool list, double moment)
{
    bool first = sim->eval.tie_time != sim->time;
    sim->eval.tie_moment = first ? moment : fmax(sim->eval.tie_moment, moment);
    sim->eval.tie_time = sim->time;
    if (list)
        vec_push(sim->mem, &sim->eval.forced, n);
}

double compare_ties_end(const Sim *sim)
{
    return sim->eval.tie_time + sim->eval.tie_moment;
}

void compare_pack_ties(Sim *sim, Pack *p)
{
    PACK_LIST(p, &sim->eval.forced);
    PACK(p, sim->eval.tie_time);
    PACK(p, sim->eval.tie_moment);
}

const NodeList *compare_tied_nodes(const Sim *sim)
{
    return &sim->eval.forced;
}

void compare_forget_ties(Sim *sim)
{
    for (uint32_t i = 0; i < sim->eval.forced.n; i++) {
        if (sim->eval.forced.at[i] >= sim->nodes.n)
            continue;
        EvalNode *node = &sim->nodes.at[sim->eval.forced.at[i]];
        node->forced = false;
        for (uint32_t k = 0; k < node->n_compares; k++) {
            node->compare[k].tie = 0;
            node->compare[k].turns = 0;
            node->compare[k].close = false;
        }
    }
    vec_clear(&sim->eval.forced);
}

/* Times so near each other that the dense output cannot tell them apart. */
bool compare_ties_hold(const Sim *sim)
{
    double near = 1e-12 * fmax(fabs(sim->time), compare_look(sim));
    return sim->time - sim->eval.tie_time <= fmax(near, sim->eval.tie_moment);
}

/* ---- the begin of what is searched ---- */

/* Where steps have a bound of their own it does not matter how often output is wanted. */
double compare_look(const Sim *sim)
{
    bool bounded = sim->opt.max_step < sim->opt.stop - sim->opt.start;
    return bounded ? sim->opt.max_step : fmin(sim->opt.max_step, sim->opt.interval);
}

/* A comparison that was forced counts as what it was forced to be. */
void compare_remember(Sim *sim, const NodeList *list)
{
    EACH_COMPARE (sim, list, node, compare) {
        compare->masked = false;
        compare->near = compare->close && compare_ties_hold(sim);
        compare->low = compare_difference(sim, node, compare);
        compare->left =
            compare->slot ? sim->value[compare->slot] : compare_self(sim, node, compare);
        if (!compare->slot && compare->tie != 0 && compare_ties_hold(sim) &&
            (compare->low == 0 || compare->close))
            compare->left = compare_tied_value(sim, compare);
    }
}

/* The same in the middle of an interval. What moved without an event has left its boundary, whatever it was
 * forced to be there; what did not stays what it is. */
void compare_remember_moved(Sim *sim, const NodeList *list)
{
    EACH_COMPARE (sim, list, node, compare) {
        compare->masked = false;
        compare->low = compare_difference(sim, node, compare);
        if (compare->slot)
            compare->left = sim->value[compare->slot];
        else if (compare->moved)
            compare->left = compare_self(sim, node, compare);
        if (compare->moved)
            compare->near = false;
    }
}
