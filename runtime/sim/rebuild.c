/* rebuild.c: the DDP's schedule as a whole -> nodes, states and parts, as if all were born now.
 *
 * What the runtime keeps of the structure it keeps up to date by deltas, so the order of its lists
 * (readers, states of the simulation, parts, branches of a condition) tells how the structure came
 * to be what it is, and so do last digits. Here it is thrown away and made again from one delta
 * that names everything in the order of the schedule: two simulations with equal DDPs and values go
 * on alike, whatever lies behind them. Values, wishes of the output and memory of events stay. */
#include "runtime/eval/hold.h"
#include "runtime/sim/sim.h"
#include "runtime/eval/tape.h"

#include <stdio.h>
#include <stdlib.h>

/* Against the order in which places are made, so that whoever makes them again in that order gets
 * the same numbers. */
static void drop_places(Sim *sim)
{
    NodeList list = {0};
    for (DdpNode n = ddp_first(sim->ddp); n; n = ddp_next(sim->ddp, n))
        vec_push(sim->mem, &list, n);
    while (list.n)
        hold_drop(sim, &sim->nodes.at[vec_pop(&list)]);
    vec_free(sim->mem, &list);
}

static void drop_nodes(Sim *sim)
{
    drop_places(sim);
    for (uint32_t i = 0; i < sim->nodes.n; i++) {
        EvalNode *node = &sim->nodes.at[i];
        loop_solve_forget(sim, node);
        mem_free(sim->mem, node->ops);
        mem_free(sim->mem, node->compare);
        mem_free(sim->mem, node->place_vars);
        tape_plan_free(sim, node->plan);
    }
    vec_clear(&sim->nodes);
}

/* Of a variable stays what it is apart from the structure. */
static void forget_places(Sim *sim)
{
    for (DdpVar var = 0; var < sim->n_values; var++) {
        ValueInfo *info = &sim->info[var];
        *info = (ValueInfo){.wanted = info->wanted,
                            .has = info->has,
                            .guess = info->guess,
                            .stiff = info->stiff,
                            .announced = info->announced,
                            .birth = info->birth};
    }
}

static void drop_all(Sim *sim)
{
    output_plan_clear(sim);
    event_forget_branches(sim);
    parts_clear(sim);
    drop_nodes(sim);
    forget_places(sim);
    vec_clear(&sim->states);
    nodes_clear(sim);
    reselect_forget_all(sim);
}

/* Everything was evaluated at this time. */
static void mark_evaluated(Sim *sim)
{
    for (DdpNode n = 1; n < sim->nodes.n; n++) {
        sim->nodes.at[n].dirty = false;
        sim->nodes.at[n].point_number = sim->point_number;
    }
    nodes_all_evaluated(sim);
}

/* ---- the oracle: what deltas made of the structure is what is made of it anew ---- */

#ifdef SOLSTICE_VERIFY
/* What a node, and the variables it determines, are for the runtime, as a number. */
static uint64_t sum_of_node(const Sim *sim, const EvalNode *node)
{
    uint64_t sum = node->live | node->determined << 1 | node->varies << 2 | node->clocked << 3 |
                   node->needed[0] << 4 | node->needed[1] << 5 | node->place << 6;
    uint64_t counts[] = {sum,
                         node->n_reads,
                         node->n_compares,
                         node->timed,
                         node->in.watch != 0,
                         node->in.timer != 0,
                         node->in.root != 0};
    sum = hash_bytes(counts, sizeof counts, 1);
    for (uint32_t i = 0; node->live && i < node->n_steps + node->n_tears; i++) {
        const ValueInfo *info = &sim->info[node_output(node, i)];
        uint64_t var[] = {info->need[0], info->need[1], info->state != 0};
        sum = hash_bytes(var, sizeof var, sum);
    }
    return sum;
}

typedef __typeof__(((Sim *)0)->run.sums) Sums;

static void take_sums(Sim *sim, Sums *sums)
{
    for (DdpNode n = ddp_first(sim->ddp); n; n = ddp_next(sim->ddp, n))
        vec_push(sim->mem, sums, sum_of_node(sim, &sim->nodes.at[n]));
    vec_push(sim->mem, sums, sim->parts.n);
    vec_push(sim->mem, sums, sim->states.n);
}

static void compare_sums(Sim *sim, Sums *before)
{
    Sums now = {0};
    DdpNode n = ddp_first(sim->ddp);
    take_sums(sim, &now);
    for (uint32_t i = 0; i < now.n && before->n; i++, n = n ? ddp_next(sim->ddp, n) : 0)
        if (now.at[i] != before->at[i]) {
            fprintf(stderr, "solstice: broken invariant N4: node %u is another one made anew\n", n);
            abort();
        }
    vec_free(sim->mem, &now);
    vec_free(sim->mem, before);
}
#endif

void rebuild_clear(Sim *sim)
{
#ifdef SOLSTICE_VERIFY
    take_sums(sim, &sim->run.sums);
#endif
    drop_all(sim);
}

void rebuild_nodes(Sim *sim)
{
    ddp_list_all(sim->ddp);
    values_grow(sim);
    nodes_apply(sim);
    reselect_forget(sim); /* all choices of states stand */
    mark_evaluated(sim);
}

void rebuild_parts(Sim *sim)
{
    part_graph_settle(sim);
    event_forget_candidates(sim);
    sim->grid.time = sim->time;
    sim->counts.parts = 0; /* counted when they start */
#ifdef SOLSTICE_VERIFY
    compare_sums(sim, &sim->run.sums);
#endif
}
