/* jump.c: what a node keeps between events, at an event -> its new value; what jumps to and fro without end slides. */
#include "runtime/event/jump.h"
#include "runtime/event/event_cause.h"

#include <math.h>
#include <string.h>

static const double SHORTEST = 1e-13; /* gaps of time that are made of rounding, of the whole */
enum { TIGHT = 30 };

static const char *name_of(const Sim *sim, const Compare *compare)
{
    static const char *const names[] = {"sign", "floor", "ceil", "round"};
    XOp kind = (XOp)x_node(sim->forms, compare->self).op;
    if (compare->unit)
        return "mod";
    return kind >= X_SIGN && kind <= X_ROUND ? names[kind - X_SIGN] : "a comparison";
}

static SolStatus slides(Sim *sim, const EvalNode *node, const Compare *compare)
{
    const EvalOp *op = &node->ops[compare->op];
    Place at = world_rel_place(sim->world, op->rel);
    diag_error(
        sim->diags, at,
        "at time %.10g %s slides in %s: on each side of its boundary the motion leads to the "
        "other, %u times in a row without a gap",
        sim->time, name_of(sim, compare), explain_rel(sim, op->rel), compare->tight);
    explain_values(sim, op);
    return SOL_NUMERICS;
}

/* Notes when it jumped; false: too often in a row without a gap. */
static bool note_jump(const Sim *sim, Compare *compare)
{
    double gap = sim->time - compare->jumped;
    double whole = fmax(sim->opt.stop - sim->opt.start, fabs(sim->time));
    bool again = gap == 0 && compare->tight; /* another update of the same event */
    if (!again)
        compare->tight = gap <= SHORTEST * whole ? compare->tight + 1 : 0;
    compare->jumped = sim->time;
    return compare->timed || compare->tight < TIGHT;
}

SolStatus jump_decide(Sim *sim, const EvalNode *node, bool *changed)
{
    *changed = false;
    for (uint32_t i = 0; i < node->n_compares; i++) {
        Compare *compare = &node->compare[i];
        if (!compare->slot)
            continue;
        double value = hold_value_now(sim, node, compare), before = sim->value[compare->slot];
        if (memcmp(&value, &before, sizeof value) == 0)
            continue;
        *changed = true;
        sim->value[compare->slot] = value;
        cause_jump(sim, name_of(sim, compare), node->ops[compare->op].rel);
        if (parts_running(sim) && !note_jump(sim, compare))
            return slides(sim, node, compare);
    }
    return SOL_OK;
}

SolStatus jump_in_loop(Sim *sim, const EvalNode *node)
{
    cause_jump(sim, "a function that the loop contains", node->ops[0].rel);
    for (uint32_t i = 0; i < node->n_compares; i++)
        if (node->compare[i].slot && parts_running(sim) && !note_jump(sim, &node->compare[i]))
            return slides(sim, node, &node->compare[i]);
    return SOL_OK;
}
