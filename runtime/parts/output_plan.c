/* output_plan.c: the variables that output wants -> what has to be evaluated for them at an output
 * point.
 *
 * Between events output needs little: of a part only its states, interpolated, and of the nodes
 * only those that wanted variables follow from. Which ones these are, each behind what it reads, is
 * a list that is kept from point to point: with a thousand parts the walk along reads took four
 * times as long as what it found. The list says nothing of values, nor of which part a node or a
 * state is in. What it depends on is marked (`in_output_plan`): nodes, and variables, with or without a
 * node. When one of them changes hands, or wanted variables do, it is made anew.
 */
#include "runtime/parts/parts.h"

enum { STATE = 0x80000000u }; /* | variable: a state; others are nodes */

void output_plan_forget(Sim *sim)
{
    sim->loop.output_plan.valid = false;
}

/* ---- what is wanted ---- */

VarList output_plan_vars(const Sim *sim)
{
    return (VarList){sim->loop.output_plan.wanted.n, sim->loop.output_plan.wanted.at};
}

void output_plan_want(Sim *sim, DdpVar var)
{
    if (sim->info[var].wanted)
        return;
    vec_push(sim->mem, &sim->loop.output_plan.wanted, var);
    sim->info[var].wanted = sim->loop.output_plan.wanted.n;
    output_plan_forget(sim);
}

void output_plan_unwant(Sim *sim, DdpVar var)
{
    if (!sim->info[var].wanted)
        return;
    DdpVar last = vec_pop(&sim->loop.output_plan.wanted);
    if (last != var) {
        sim->loop.output_plan.wanted.at[sim->info[var].wanted - 1] = last;
        sim->info[last].wanted = sim->info[var].wanted;
    }
    sim->info[var].wanted = 0;
    output_plan_forget(sim);
}

void output_plan_pack_wanted(Sim *sim, Pack *p)
{
    PACK_LIST(p, &sim->loop.output_plan.wanted);
}

void output_plan_number_wanted(Sim *sim)
{
    for (uint32_t i = 0; i < sim->loop.output_plan.wanted.n; i++)
        sim->info[sim->loop.output_plan.wanted.at[i]].wanted = i + 1;
}

/* ---- the list ---- */

/* The node that `var` follows from and that has to be walked through, or 0. */
static DdpNode enter(Sim *sim, DdpVar var)
{
    ValueInfo *info = &sim->info[var];
    if (info->in_output_plan)
        return 0;
    info->in_output_plan = true;
    vec_push(sim->mem, &sim->loop.output_plan.vars, var);
    if (info->state) {
        vec_push(sim->mem, &sim->loop.output_plan.items, STATE | var);
        return 0;
    }
    EvalNode *node = info->node ? &sim->nodes.at[info->node] : NULL;
    if (!node || node->in_output_plan)
        return 0;
    node->in_output_plan = true;
    vec_push(sim->mem, &sim->loop.output_plan.nodes, info->node);
    if (!node->part && !(node->determined && (node->waits || node->place == PLACE_OUTPUTS)))
        return 0;
    if (!node->part || !node->loop)
        return info->node;
    vec_push(sim->mem, &sim->loop.output_plan.items,
             info->node); /* its part has to be brought here as a whole */
    return 0;
}

static void push(Sim *sim, DdpNode n)
{
    vec_push(sim->mem, &sim->loop.fetch, n);
    vec_push(sim->mem, &sim->loop.fetch, 0);
}

/* Depth first along reads, each node behind what it reads. */
static void walk(Sim *sim, DdpVar var)
{
    NodeList *stack = &sim->loop.fetch;
    uint32_t bottom = stack->n;
    DdpNode first = enter(sim, var);
    if (first)
        push(sim, first);
    while (stack->n > bottom) {
        DdpNode n = stack->at[stack->n - 2];
        uint32_t next = stack->at[stack->n - 1]++;
        if (next == sim->nodes.at[n].n_reads) {
            stack->n -= 2;
            vec_push(sim->mem, &sim->loop.output_plan.items, n);
            continue;
        }
        DdpNode needed = enter(sim, sim->nodes.at[n].reads[next].var);
        if (needed)
            push(sim, needed);
    }
}

static void make_list(Sim *sim)
{
    for (uint32_t i = 0; i < sim->loop.output_plan.vars.n; i++)
        sim->info[sim->loop.output_plan.vars.at[i]].in_output_plan = false;
    for (uint32_t i = 0; i < sim->loop.output_plan.nodes.n; i++)
        sim->nodes.at[sim->loop.output_plan.nodes.at[i]].in_output_plan = false;
    vec_clear(&sim->loop.output_plan.items);
    vec_clear(&sim->loop.output_plan.vars);
    vec_clear(&sim->loop.output_plan.nodes);
    for (uint32_t i = 0; i < sim->loop.output_plan.wanted.n; i++)
        walk(sim, sim->loop.output_plan.wanted.at[i]);
    sim->loop.output_plan.valid = true;
}

/* ---- values ---- */

/* A part may be brought here as a whole when several of its nodes were evaluated: to the same bits. */
static SolStatus look_at_node(Sim *sim, DdpNode n)
{
    const EvalNode *node = &sim->nodes.at[n];
    Part *part = node->part;
    if (!part)
        return evaluate_is_stale(sim, node) ? evaluate_output(sim, n, EVAL_PLAIN) : SOL_OK;
    if (part->point_number == sim->point_number || node->point_number == sim->point_number)
        return SOL_OK;
    if (!node->loop)
        return part_may_evaluate_wanted(part) ? evaluate_output(sim, n, EVAL_PLAIN) : SOL_OK;
    part_bring(part, EVAL_PLAIN);
    return SOL_OK;
}

/* What an item needs lies anywhere: it is asked for in three stages, ahead of its turn. */
enum { AHEAD = 4 };

static void ask_ahead(const Sim *sim, uint32_t i)
{
    const uint32_t *items = sim->loop.output_plan.items.at;
    for (uint32_t stage = 1; stage <= 3 && i + stage * AHEAD < sim->loop.output_plan.items.n;
         stage++) {
        uint32_t item = items[i + stage * AHEAD];
        if (!(item & STATE)) {
            const EvalNode *node = &sim->nodes.at[item];
            if (stage == 3)
                __builtin_prefetch(node), __builtin_prefetch(node + 1);
            else if (stage == 2)
                __builtin_prefetch(node->ops), __builtin_prefetch(node->reads);
            else
                __builtin_prefetch(&sim->info[node->ops[0].target].has),
                    __builtin_prefetch(&sim->value[node->ops[0].target]);
            continue;
        }
        const ValueInfo *info = &sim->info[item & ~STATE];
        if (stage == 3)
            __builtin_prefetch(info), __builtin_prefetch(&sim->value[item & ~STATE]);
        else if (stage == 2)
            part_prefetch_head(info->part);
        else
            part_prefetch(info->part, 0, MEMORY_VECTORS);
    }
}

SolStatus output_plan_wanted(Sim *sim)
{
    SolStatus status = SOL_OK;
    if (!sim->loop.output_plan.valid)
        make_list(sim);
    sim->value[sim->clock] = sim->time;
    for (uint32_t i = 0; i < sim->loop.output_plan.items.n && status == SOL_OK; i++) {
        uint32_t item = sim->loop.output_plan.items.at[i];
        ask_ahead(sim, i);
        if (item & STATE)
            part_evaluate_wanted(sim->info[item & ~STATE].part);
        else
            status = look_at_node(sim, item);
    }
    return status == SOL_OK ? sim->loop.status : status;
}

void output_plan_clear(Sim *sim)
{
    output_plan_forget(sim);
    vec_clear(&sim->loop.output_plan.items);
    vec_clear(&sim->loop.output_plan.vars);
    vec_clear(&sim->loop.output_plan.nodes);
}
