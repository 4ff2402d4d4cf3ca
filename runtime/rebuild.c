/* rebuild.c: the DDP's schedule as a whole -> nodes, states and parts, as if all were born now.
 *
 * What the runtime keeps of the structure it keeps up to date by deltas, so the order of its lists
 * (readers, states of the simulation, parts, branches of a condition) tells how the structure came
 * to be what it is, and so do last digits. Here it is thrown away and made again from one delta
 * that names everything in the order of the schedule: two simulations with equal DDPs and values go
 * on alike, whatever lies behind them. Values, wishes of the output and memory of events stay. */
#include "runtime/parts.h"
#include "runtime/tape.h"

static void drop_nodes(Sim *sim)
{
    for (uint32_t i = 0; i < sim->nodes.n; i++) {
        EvalNode *node = &sim->nodes.at[i];
        loop_solve_forget(sim, node);
        mem_free(sim->mem, node->ops);
        mem_free(sim->mem, node->compare);
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
    glance_forget(sim);
    vec_clear(&sim->glance.items);
    vec_clear(&sim->glance.vars);
    vec_clear(&sim->glance.nodes);
    event_forget_branches(sim);
    while (sim->parts.n)
        part_free(vec_last(&sim->parts));
    rope_free(sim, &sim->outputs);
    drop_nodes(sim);
    forget_places(sim);
    vec_clear(&sim->states);
    vec_clear(&sim->heap);
    vec_clear(&sim->held_back);
    vec_clear(&sim->unsettled);
    vec_clear(&sim->cuts);
    vec_clear(&sim->clocked_work);
    vec_clear(&sim->compared);
    vec_clear(&sim->narrow_nodes);
    vec_clear(&sim->differentiated);
    sim->running = false;
}

/* Everything was evaluated at this time. */
static void mark_evaluated(Sim *sim)
{
    for (DdpNode n = 1; n < sim->nodes.n; n++) {
        sim->nodes.at[n].dirty = false;
        sim->nodes.at[n].moment = sim->moment;
    }
    vec_clear(&sim->heap);
    vec_clear(&sim->lacking);
}

void rebuild_nodes(Sim *sim)
{
    drop_all(sim);
    ddp_list_all(sim->ddp);
    values_grow(sim);
    evaluate_apply(sim);
    mark_evaluated(sim);
}

void rebuild_parts(Sim *sim)
{
    part_graph_settle(sim);
    event_forget_suspects(sim);
    sim->grid_time = sim->time;
    sim->counts.parts = 0; /* counted when they start */
}
