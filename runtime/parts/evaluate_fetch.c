/* evaluate_fetch.c: a variable that somebody reads at Sim.time -> its part is brought there, or the output evaluated
 * with what it needs. */
#include "runtime/parts/parts.h"

/* The output that `var` is and that was not evaluated at this moment, or 0. */
static DdpNode stale_output(const Sim *sim, DdpVar var)
{
    DdpNode n = sim->info[var].node;
    if (!n || sim->info[var].state)
        return 0;
    if (!sim->nodes.at[n].waits && sim->nodes.at[n].place != PLACE_OUTPUTS)
        return 0;
    return evaluate_is_stale(sim, &sim->nodes.at[n]) ? n : 0;
}

static inline Part *part_of(const Sim *sim, DdpVar var)
{
    const ValueInfo *info = &sim->info[var];
    return info->state ? info->part : info->node ? sim->nodes.at[info->node].part : NULL;
}

Part *part_of_var(const Sim *sim, DdpVar var)
{
    return part_of(sim, var);
}

/* Depth first along reads, each node after what it reads: this must work while the DDP's order is
 * that of a structure that is not taken over yet. SOL_CANCELLED: with `only_brought`, a part would have
 * to be brought here. */
static SolStatus fetch_output(Sim *sim, DdpNode first, bool only_brought, EvalHow how)
{
    NodeList *stack = &sim->loop.fetch;
    uint32_t bottom = stack->n;
    SolStatus status = SOL_OK;
    vec_push(sim->mem, stack, first);
    vec_push(sim->mem, stack, 0);
    sim->value[sim->clock] = sim->time;
    while (stack->n > bottom && status == SOL_OK) {
        DdpNode n = stack->at[stack->n - 2];
        uint32_t next = stack->at[stack->n - 1]++;
        if (next == sim->nodes.at[n].n_reads) {
            stack->n -= 2;
            status = evaluate_output(sim, n, how);
            continue;
        }
        DdpVar var = sim->nodes.at[n].reads[next].var;
        DdpNode stale = stale_output(sim, var);
        Part *part = part_of(sim, var);
        if (part && only_brought && part->point_number != sim->point_number)
            status = SOL_CANCELLED;
        else if (part)
            part_bring(part, how);
        if (stale) {
            vec_push(sim->mem, stack, stale);
            vec_push(sim->mem, stack, 0);
        }
    }
    stack->n = bottom;
    return status;
}

SolStatus evaluate_fetch(Sim *sim, DdpVar var, EvalHow how)
{
    DdpNode stale =
        stale_output(sim, var); /* also of a part, if nobody needed it when it changed */
    Part *part = part_of(sim, var);
    if (part)
        part_bring(part, how);
    else if (var == sim->clock)
        sim->value[var] = sim->time;
    if (stale)
        return fetch_output(sim, stale, false, how);
    return sim->loop.status;
}

bool evaluate_fetch_brought(Sim *sim, DdpVar var, EvalHow how)
{
    DdpNode stale = stale_output(sim, var);
    Part *part = part_of(sim, var);
    if (part)
        return part->point_number == sim->point_number;
    return !stale || fetch_output(sim, stale, true, how) == SOL_OK;
}

SolStatus evaluate_outputs_again(Sim *sim)
{
    SolStatus status = parts_bring_all(sim, EVAL_PLAIN);
    sim->value[sim->clock] = sim->time;
    return status == SOL_OK ? evaluate_node_order(sim, &sim->outputs, EVAL_PLAIN) : status;
}

SolStatus evaluate_outputs(Sim *sim)
{
    SolStatus status = evaluate_outputs_again(sim);
    EACH_SEGMENT (&sim->outputs, segment)
        for (uint32_t i = 0; i < segment->nodes.n; i++) {
            EvalNode *node = &sim->nodes.at[segment->nodes.at[i]];
            node->point_number = sim->point_number;
            node->waits = false;
            for (uint32_t k = 0; k < node->n_steps + node->n_tears && status == SOL_OK; k++)
                sim->info[node_output(node, k)].pending = false;
        }
    return status;
}
