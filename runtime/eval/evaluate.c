/* evaluate.c: a node -> its values and tangents, now. What a node is: event/nodes.c; which of them a change asks for:
 * event/evaluate_change.c. */
#include "runtime/eval/compare.h"

#include <math.h>

/* ---- one node ---- */

/* Operations from..to-1; values of residuals go to results[0], results[1], ... */
void evaluate_ops(Sim *sim, const EvalNode *node, uint32_t from, uint32_t to, double *results)
{
    for (uint32_t i = from; i < to; i++) {
        const EvalOp *op = &node->ops[i];
        interp_run(op->code, op->vars, sim->value, sim->eval.interp, evaluate_foreign, sim);
        if (!op->target)
            *results++ = sim->eval.interp[0];
    }
}

void evaluate_tangent_ops(Sim *sim, const EvalNode *node, uint32_t from, uint32_t to,
                          double *result_tangents)
{
    for (uint32_t i = from; i < to; i++) {
        const EvalOp *op = &node->ops[i];
        const double *tangents;
        interp_tangent(op->code, op->vars, sim->value, sim->tangent, sim->eval.interp, &tangents,
                       evaluate_foreign, sim);
        if (!op->target)
            *result_tangents++ = tangents[0];
    }
}

/* The code computes the value along with the tangent: a comparison at its boundary keeps the one that the event gave it. */
void evaluate_tangent_node(Sim *sim, DdpNode n)
{
    const EvalNode *node = &sim->nodes.at[n];
    if (node->loop) {
        loop_solve_tangent(sim, n);
        return;
    }
    double value = sim->value[node->ops[0].target];
    evaluate_tangent_ops(sim, node, 0, 1, NULL);
    if (node->compares)
        sim->value[node->ops[0].target] = value;
}

void evaluate_clear_tangents(Sim *sim, DdpNode n)
{
    const EvalNode *node = &sim->nodes.at[n];
    for (uint32_t i = 0; i < node->n_steps; i++)
        sim->tangent[node->ops[i].target] = 0;
    for (uint32_t i = 0; i < node->n_tears; i++)
        sim->tangent[node_tears(node)[i]] = 0;
}

static SolStatus not_finite(Sim *sim, const EvalNode *node, EvalHow how)
{
    const EvalOp *op = &node->ops[0];
    if (how & EVAL_TRIAL)
        return SOL_NUMERICS;
    if (foreign_data_failure(sim->foreign)) {
        diag_error(sim->diags, world_rel_place(sim->world, op->rel), "%s",
                   foreign_data_failure(sim->foreign));
        return SOL_IO;
    }
    diag_error(sim->diags, world_rel_place(sim->world, op->rel),
               "at time %.10g, %s is %g: the equation %s has no value there", sim_clock(sim),
               explain_var(sim, op->target), sim->value[op->target], explain_rel(sim, op->rel));
    explain_values(sim, op);
    return SOL_NUMERICS;
}

enum { MOST_PIECES = 100 };

/* A loop whose functions that jump are decided with it: each solution in the piece that the one
 * before lies in, until it lies in its own. */
SolStatus evaluate_pieces(Sim *sim, DdpNode n, EvalHow how, bool *changed)
{
    *changed = hold_renew(sim, &sim->nodes.at[n]);
    for (uint32_t i = 0; i < MOST_PIECES; i++) {
        SolStatus status = loop_solve(sim, n, how);
        if (status != SOL_OK || !hold_renew(sim, &sim->nodes.at[n]))
            return status;
        sim->nodes.at[n].factored = false;
        *changed = true;
    }
    const EvalOp *op = &sim->nodes.at[n].ops[sim->nodes.at[n].n_steps];
    if (!(how & EVAL_TRIAL))
        diag_error(sim->diags, world_rel_place(sim->world, op->rel),
                   "at time %.10g, sign, floor, ceil, round or mod in a loop have no values that "
                   "agree with its solution: %s",
                   sim_clock(sim), explain_rel(sim, op->rel));
    return SOL_NUMERICS;
}

enum { MOST_WITHOUT = 100 };

/* Nobody needs it here, and a later update may give it a value: looked at with the next point. */
static void note_no_value(Sim *sim, const EvalNode *node, EvalHow how)
{
    const EvalOp *op = &node->ops[0];
    if (!(how & EVAL_TRIAL) && sim->failure.without.n < MOST_WITHOUT)
        vec_push(sim->mem, &sim->failure.without,
                 ((NoValue){op->target, world_rel_place(sim->world, op->rel)}));
}

SolStatus evaluate_node(Sim *sim, DdpNode n, EvalHow how)
{
    EvalNode *node = &sim->nodes.at[n];
    sim->work++;
    bool changed, decide = node->holds && !node->part;
    if (node->loop)
        return decide ? evaluate_pieces(sim, n, how, &changed) : loop_solve(sim, n, how);
    if (decide)
        hold_renew(sim, node);
    evaluate_ops(sim, node, 0, 1, NULL);
    ValueInfo *info = &sim->info[node->ops[0].target];
    info->has = true;
    info->pending = false;
    if (how & EVAL_EVENT && node->compares)
        compare_break_ties(sim, n);
    if (isfinite(sim->value[node->ops[0].target]))
        return SOL_OK;
    if (node->needed[NEED_DYNAMICS] || node->needed[NEED_CONDITIONS])
        return not_finite(sim, node, how);
    note_no_value(sim, node, how);
    return SOL_OK;
}

DdpRel evaluate_relation_of(const Sim *sim, DdpVar var)
{
    DdpNode n = sim->info[var].node;
    const EvalNode *node = n ? &sim->nodes.at[n] : NULL;
    for (uint32_t i = 0; node && i < node->n_steps + node->n_tears; i++)
        if (ddp_causality(sim->ddp, node->ops[i].rel) == var)
            return node->ops[i].rel;
    return 0;
}

SolStatus evaluate_list(Sim *sim, const NodeList *list, EvalHow how)
{
    for (uint32_t i = 0; i < list->n; i++) {
        SolStatus status = evaluate_node(sim, list->at[i], how);
        if (status != SOL_OK)
            return status;
    }
    return SOL_OK;
}

/* ---- outputs ---- */

/* An output that was not evaluated at this moment; its class may be another one by now. */
/* A loop that the change touches, while loops are not evaluated. Others are as they were: who reads
 * them needs their values at this time. */
static bool is_held_back(const Sim *sim, const EvalNode *node)
{
    return evaluate_holds(sim, node) && (node->dirty || sim->info[node_output(node, 0)].pending);
}

bool evaluate_is_stale(const Sim *sim, const EvalNode *node)
{
    bool stale =
        node->waits || (node->place == PLACE_OUTPUTS && node->point_number != sim->point_number);
    return stale && node->determined && !is_held_back(sim, node);
}

static bool all_known(const Sim *sim, const EvalNode *node)
{
    for (uint32_t i = 0; i < node->n_reads; i++)
        if (!sim->info[node->reads[i].var].has || sim->info[node->reads[i].var].pending)
            return false;
    return true;
}

SolStatus evaluate_output(Sim *sim, DdpNode n, EvalHow how)
{
    EvalNode *node = &sim->nodes.at[n];
    if (node->in_update.left == sim->eval.update && !(how & EVAL_BACK))
        return SOL_OK; /* left alone, it keeps its value */
    node->point_number = sim->point_number;
    node->waits = false;
    if (all_known(sim, node))
        return evaluate_node(sim, n, how);
    for (uint32_t k = 0; k < node->n_steps + node->n_tears; k++)
        sim->info[node_output(node, k)].pending = true;
    return SOL_OK;
}

uint32_t evaluate_next_update(Sim *sim)
{
    return ++sim->eval.update;
}

void evaluate_note_commit(Sim *sim, const DdpResult *result)
{
    sim->eval.committed = *result;
}

const DdpResult *evaluate_committed(const Sim *sim)
{
    return &sim->eval.committed;
}

void evaluate_hold_loops(Sim *sim, bool hold)
{
    sim->eval.hold_loops = hold;
}

bool evaluate_holds_loops(const Sim *sim)
{
    return sim->eval.hold_loops;
}

double *evaluate_scratch(Sim *sim)
{
    return sim->eval.interp;
}
