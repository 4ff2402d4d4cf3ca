/* integer_check.c: Integer variables that equations determine -> an error where the value is Real.
 *
 * An equation between Integer and Real has no direction in the text: `x = n` is fine as long as it
 * determines x. Only the DDP knows, so the check comes when a structure is final: the expression
 * that determines an Integer must be whole by its form. `floor(x)` is, `6/4` and a Real variable
 * are not. */
#include "runtime/event/event.h"

#include <math.h>

enum {
    MOST = 64,
    PATIENCE = 10000
}; /* operands that wait; nodes looked at before it is let pass */

static bool is_whole_var(const Sim *sim, DdpVar var)
{
    WorldVar view;
    if (ddp_var(sim->ddp, var).order > 0)
        return false;
    return !world_var(sim->world, var, &view) || view.type == TYPE_INTEGER ||
           view.type == TYPE_BOOLEAN;
}

static bool is_whole_call(const Sim *sim, uint32_t function)
{
    WorldFunction view;
    return world_function(sim->world, function, &view) && view.def &&
           view.def->out->type.kind != TYPE_REAL;
}

/* How many operands of a node must be whole for it to be; -1: it never is. */
static int operands_that_count(const XNode *node)
{
    switch ((XOp)node->op) {
    case X_NEG:
    case X_ABS:
        return 1;
    case X_ADD:
    case X_SUB:
    case X_MUL:
    case X_MIN:
    case X_MAX:
    case X_MOD:
        return 2;
    case X_NOT:
    case X_SIGN:
    case X_FLOOR:
    case X_CEIL:
    case X_ROUND:
        return 0;
    default:
        return node->op >= X_LT && node->op <= X_OR ? 0 : -1;
    }
}

static bool is_whole(const Sim *sim, X root, const DdpVar *vars)
{
    X wait[MOST];
    uint32_t n = 0, looked = 0;
    wait[n++] = root;
    while (n > 0 && n + 2 <= MOST && looked++ < PATIENCE) {
        XNode node = x_node(sim->forms, wait[--n]);
        int count = operands_that_count(&node);
        if (node.op == X_CONST && node.k == floor(node.k))
            continue;
        if (node.op == X_POS && is_whole_var(sim, vars[node.a]))
            continue;
        if (node.op == X_CALL && is_whole_call(sim, node.a))
            continue;
        if (node.op == X_SELECT) {
            wait[n++] = node.b;
            wait[n++] = node.c;
            continue;
        }
        if (count < 0)
            return false;
        if (count > 0)
            wait[n++] = node.a;
        if (count > 1)
            wait[n++] = node.b;
    }
    return true;
}

/* Remembers the Integers that the last commit gave a relation. */
void integer_note(Sim *sim)
{
    uint32_t n;
    const DdpDelta *delta = ddp_delta(sim->ddp, &n);
    for (uint32_t i = 0; i < n; i++) {
        if (delta[i].change == DDP_NODE_GONE)
            continue;
        DdpNodeView node = ddp_node(sim->ddp, delta[i].node);
        for (uint32_t k = 0; k < node.n_steps; k++)
            if (world_var_is_integer(sim->world, node.steps[k].var))
                vec_push(sim->mem, &sim->start.integers, node.steps[k].var);
    }
}

static bool check_step(Sim *sim, const DdpStep *step)
{
    if (is_whole(sim, step->value, ddp_rel(sim->ddp, step->rel).vars))
        return true;
    DdpRel origin = ddp_rel(sim->ddp, step->rel).origin;
    diag_error(sim->diags, world_rel_place(sim->world, origin),
               "%s is Integer, but this determines it by a Real value: %s",
               explain_var(sim, step->var), explain_rel(sim, step->rel));
    diag_note(sim->diags, world_rel_place(sim->world, origin),
              "'round', 'floor' or 'ceil' make an Integer of a Real");
    return false;
}

SolStatus integer_check(Sim *sim)
{
    bool fine = true;
    for (uint32_t i = 0; i < sim->start.integers.n; i++) {
        DdpVar var = sim->start.integers.at[i];
        bool still = ddp_var_used(sim->ddp, var) &&
                     world_var_is_integer(sim->world, var); /* numbers are used again */
        DdpNode n = still ? ddp_node_of(sim->ddp, var) : 0;
        DdpNodeView node = n ? ddp_node(sim->ddp, n) : (DdpNodeView){0};
        for (uint32_t k = 0; k < node.n_steps; k++)
            if (node.steps[k].var == var && node.steps[k].value)
                fine &= check_step(sim, &node.steps[k]);
    }
    vec_clear(&sim->start.integers);
    return fine ? SOL_OK : SOL_MODEL;
}
