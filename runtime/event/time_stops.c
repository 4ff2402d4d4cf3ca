/* time_stops.c: time events of conditions without states -> the parts whose steps end there.
 *
 * A part whose conditions follow from the clock alone (a switch that the clock throws) concerns others only through
 * the branches that it exchanges. Before its first event nobody knows whom, and every step ends there. At that event
 * it is linked with the parts that its branches hold relations of, and with those that start anew; from then on only
 * their steps end at its events. Whom it concerns later, and was not linked, is brought to the event by its dense
 * output, as at events of other parts, and is linked then. A part that cannot step without ending at an event ends at
 * all of them.
 */
#include "runtime/event/event.h"

#include <math.h>

enum { MOST_ROOTS = 16 }; /* of a clock whose branches are walked */

/* The condition that a clock is known by; 0: it has none. */
static DdpVar name_of(const Sim *sim, const Part *clock)
{
    const NodeList *roots = &clock->lists.roots;
    return roots->n ? node_output(&sim->nodes.at[roots->at[0]], 0) : 0;
}

static const Part *clock_of(const Sim *sim, DdpVar name)
{
    DdpNode n = name < sim->n_values ? sim->info[name].node : 0;
    const Part *part = n ? sim->nodes.at[n].part : NULL;
    return part && part->n == 0 ? part : NULL;
}

static double next_of_all(const Sim *sim)
{
    double next = INFINITY;
    for (uint32_t i = 0; i < sim->parts.n; i++)
        if (sim->parts.at[i]->started && sim->parts.at[i]->n == 0)
            next = fmin(next, sim->parts.at[i]->timed);
    return next;
}

double time_stop(const Part *part)
{
    if (part->stops.all)
        return fmin(part->timed, next_of_all(part->sim));
    double next = part->timed;
    for (uint32_t i = 0; i < part->stops.n; i++) {
        const Part *clock = clock_of(part->sim, part->stops.at[i]);
        if (clock)
            next = fmin(next, clock->timed);
    }
    return next;
}

bool time_stop_everywhere(Part *part)
{
    bool before = part->stops.all;
    part->stops.all = true;
    return !before;
}

/* A clock that a part has no room for stops everybody. */
static void link_clock(Part *part, Part *clock)
{
    DdpVar name = name_of(part->sim, clock);
    uint32_t i = 0, kept = 0;
    if (part->n == 0 || !name)
        return;
    while (i < part->stops.n && part->stops.at[i] != name)
        i++;
    if (i < part->stops.n)
        return;
    for (i = 0; i < part->stops.n; i++) /* those that are gone leave */
        if (clock_of(part->sim, part->stops.at[i]))
            part->stops.at[kept++] = part->stops.at[i];
    part->stops.n = kept;
    if (kept < PART_STOPS)
        part->stops.at[part->stops.n++] = name;
    else
        clock->stops.broad = true;
}

typedef struct Linking {
    Sim *sim;
    Part *clock;
} Linking;

static void link_rel(void *context, DdpRel rel)
{
    const Linking *linking = context;
    DdpVar var = ddp_causality(linking->sim->ddp, rel);
    DdpNode n = var ? linking->sim->info[var].node : 0;
    if (n && linking->sim->nodes.at[n].part)
        link_clock(linking->sim->nodes.at[n].part, linking->clock);
}

static void link_branches(Sim *sim, Part *clock)
{
    Linking linking = {sim, clock};
    for (uint32_t i = 0; i < clock->lists.roots.n; i++) {
        const EvalNode *node = &sim->nodes.at[clock->lists.roots.at[i]];
        for (uint32_t k = 0; k < node->n_steps + node->n_tears; k++)
            for (BranchId id = sim->info[node_output(node, k)].branches; id;
                 id = sim->branches.at[id].next)
                world_branch_rels(sim->world, id, link_rel, &linking);
    }
}

/* The clocks whose event it is, in a simulation that has others to stop. */
void time_stops_begin(Sim *sim)
{
    vec_clear(&sim->search.clocks);
    for (uint32_t i = 0; i < parts_touched(sim).n; i++) {
        Part *part = parts_touched(sim).at[i];
        if (part->n == 0 && part->started && part_due(part) && parts_event_number(sim))
            vec_push(sim->mem, &sim->search.clocks, part);
    }
}

void time_stops_restarted(Part *part)
{
    if (part->sim->search.clocks.n == 1 && part != part->sim->search.clocks.at[0])
        link_clock(part, part->sim->search.clocks.at[0]);
}

void time_stops_end(Sim *sim)
{
    for (uint32_t i = 0; i < sim->search.clocks.n; i++) {
        Part *clock = sim->search.clocks.at[i];
        if (clock->stops.known || clock->n > 0)
            continue;
        clock->stops.broad |= clock->lists.roots.n > MOST_ROOTS;
        if (!clock->stops.broad)
            link_branches(sim, clock);
        clock->stops.known = true;
        part_reorder(clock);
    }
    vec_clear(&sim->search.clocks);
}
