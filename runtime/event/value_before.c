/* value_before.c: a variable -> the value that it had in the update before.
 *
 * What an update evaluates or sets, it notes first (Sim.update.olds). An output that nobody looked at has no value to
 * note: it is noted as unknown. Who wants its value all the same (a `pre` or a parameter that is born late in an update,
 * a branch that is left alone) has it evaluated with the noted values of what it reads in their places.
 */
#include "runtime/event/event.h"

#include <string.h>

static ValueBefore *noted(const Sim *sim, DdpVar var)
{
    uint32_t at = sim->info[var].old;
    return at < sim->update.olds.n && sim->update.olds.at[at].var == var ? &sim->update.olds.at[at]
                                                                         : NULL;
}

static void note(Sim *sim, ValueBefore before)
{
    if (noted(sim, before.var))
        return;
    sim->info[before.var].old = sim->update.olds.n;
    vec_push(sim->mem, &sim->update.olds, before);
}

void before_note(Sim *sim, DdpVar var, double value)
{
    if (sim->update.complete)
        note(sim, (ValueBefore){.var = var, .value = value});
}

/* Flags and values of `pre` are set between two updates. */
void before_note_set(Sim *sim, DdpVar var)
{
    if (sim->info[var].has && sim->info[var].birth <= sim->update.births_before)
        note(sim, (ValueBefore){.var = var, .value = sim->value[var]});
}

/* An output that has another value than it had when somebody looked, perhaps. A node that is made at this point, or does
 * something new, has not been evaluated either, but what it determines was, when it lost its node. */
static bool is_unseen(const Sim *sim, const EvalNode *node)
{
    bool late = node->point_number != sim->point_number &&
                node->point_number != node_made_at(sim->point_number);
    return node->determined && (node->waits || (node->place == PLACE_OUTPUTS && late));
}

bool before_note_unseen(Sim *sim, const EvalNode *node)
{
    if (!is_unseen(sim, node))
        return false;
    for (uint32_t i = 0; sim->update.complete && i < node->n_steps + node->n_tears; i++)
        note(sim, (ValueBefore){.var = node_output(node, i), .unknown = true});
    return true;
}

const ValueBefore *before_find(const Sim *sim, DdpVar var)
{
    const ValueBefore *before = noted(sim, var);
    return before && !before->unknown ? before : NULL;
}

bool before_is_unknown(const Sim *sim, DdpNode n)
{
    const ValueBefore *before = noted(sim, node_output(&sim->nodes.at[n], 0));
    return before ? before->unknown : is_unseen(sim, &sim->nodes.at[n]);
}

/* ---- to evaluate it ---- */

static bool is_touched(const Sim *sim, const EvalNode *node)
{
    bool touched = noted(sim, node_output(node, 0)) != NULL;
    for (uint32_t i = 0; i < node->n_reads && !touched; i++)
        touched = noted(sim, node->reads[i].var) || sim->info[node->reads[i].var].pending;
    return touched;
}

/* The values that its reads had, in their places; `kept` gets those that are there, and puts them back. */
static void exchange(Sim *sim, const EvalNode *node, double *kept, bool back)
{
    for (uint32_t i = 0; i < node->n_reads; i++) {
        DdpVar var = node->reads[i].var;
        const ValueBefore *before = before_find(sim, var);
        if (back)
            sim->value[var] = kept[i];
        else
            kept[i] = sim->value[var];
        if (!back && before)
            sim->value[var] = before->value;
    }
}

static void keep_result(Sim *sim, DdpVar var, double present, bool pending)
{
    note(sim, (ValueBefore){.var = var});
    *noted(sim, var) = (ValueBefore){.var = var, .value = sim->value[var]};
    sim->value[var] = present;
    sim->info[var].pending = pending;
}

static SolStatus evaluate_before(Sim *sim, DdpNode n, EvalHow how)
{
    EvalNode *node = &sim->nodes.at[n];
    if (!is_touched(sim, node))
        return evaluate_output(sim, n, how | EVAL_BACK);
    uint32_t count = node->n_steps + node->n_tears;
    double *kept = mem_alloc(sim->mem, (node->n_reads + count) * sizeof *kept);
    double *present = kept + node->n_reads;
    bool pending = sim->info[node_output(node, 0)].pending;
    for (uint32_t i = 0; i < count; i++)
        present[i] = sim->value[node_output(node, i)];
    exchange(sim, node, kept, false);
    loop_keep_outdate(node); /* factors are those of other values */
    SolStatus status = evaluate_node(sim, n, how);
    exchange(sim, node, kept, true);
    for (uint32_t i = 0; i < count; i++)
        keep_result(sim, node_output(node, i), present[i], pending);
    loop_keep_outdate(node);
    node->waits = true; /* what it keeps for itself is that of before */
    mem_free(sim->mem, kept);
    return status;
}

/* False: with `only_brought`, a part would have to come to this time. */
static bool bring(Sim *sim, DdpVar var, bool only_brought, EvalHow how)
{
    Part *part = part_of_var(sim, var);
    if (part && only_brought && part->point_number != sim->point_number)
        return false;
    if (part)
        part_bring(part, how);
    return true;
}

SolStatus before_evaluate(Sim *sim, DdpNode first, bool only_brought, EvalHow how)
{
    NodeList stack = {0};
    SolStatus status = SOL_OK;
    sim->value[sim->clock] = sim->time;
    vec_push(sim->mem, &stack, first);
    vec_push(sim->mem, &stack, 0);
    while (stack.n && status == SOL_OK) {
        DdpNode n = stack.at[stack.n - 2];
        uint32_t next = stack.at[stack.n - 1]++;
        if (next == sim->nodes.at[n].n_reads) {
            stack.n -= 2;
            if (before_is_unknown(sim, n))
                status = evaluate_before(sim, n, how);
            continue;
        }
        DdpVar var = sim->nodes.at[n].reads[next].var;
        DdpNode of = sim->info[var].state ? 0 : sim->info[var].node;
        if (!bring(sim, var, only_brought, how))
            status = SOL_CANCELLED;
        else if (of && before_is_unknown(sim, of)) {
            vec_push(sim->mem, &stack, of);
            vec_push(sim->mem, &stack, 0);
        }
    }
    vec_free(sim->mem, &stack);
    return status;
}

void before_keep(Sim *sim, DdpNode n)
{
    if (sim->update.olds.n && before_is_unknown(sim, n))
        before_evaluate(sim, n, false, EVAL_EVENT | EVAL_TRIAL);
}

double before_value(Sim *sim, DdpVar var)
{
    DdpNode n = sim->info[var].state ? 0 : sim->info[var].node;
    bool old = sim->update.olds.n && sim->info[var].birth <= sim->update.births_before &&
               ddp_var(sim->ddp, var).kind != DDP_KNOWN;
    if (old && n && before_is_unknown(sim, n) &&
        before_evaluate(sim, n, false, EVAL_EVENT) != SOL_OK)
        sim->start.role_failed = true;
    const ValueBefore *before = old ? before_find(sim, var) : NULL;
    if (before)
        return before->value;
    evaluate_fetch(sim, var, EVAL_EVENT);
    return sim->value[var];
}
