/* time_stops.c: time events of conditions without states, and samples -> the parts whose steps end there.
 *
 * A *clock* is a part whose conditions follow from the time alone (a switch that the clock throws), or a sample. It
 * concerns others only through the branches that it exchanges. Before the first event of such a part nobody knows whom,
 * and every step ends there; not so for samples, which may be many. At that event it is linked with the parts that its
 * branches hold relations of, and with those that start anew; from then on only their steps end at its events. Whom it concerns later, and was not linked, is brought to the
 * event by its dense output, as at events of other parts, and is linked then. A part that cannot step without ending at
 * an event ends at all of them.
 *
 * A clock is known by a variable: a condition of the part, or that of the sample; of samples with the same times by
 * that of one of them.
 */
#include "runtime/event/event.h"

#include <math.h>

enum {
    MOST_ROOTS = 16, /* of a clock whose branches are walked */
    MOST_CLOCKS = 16 /* that are told apart at one event */
};

/* The condition that a part is known by; 0: it has none. */
static DdpVar name_of(const Sim *sim, const Part *clock)
{
    const NodeList *roots = &clock->lists.roots;
    return roots->n ? node_output(&sim->nodes.at[roots->at[0]], 0) : 0;
}

static Part *part_named(const Sim *sim, DdpVar name)
{
    DdpNode n = name < sim->n_values ? sim->info[name].node : 0;
    Part *part = n ? sim->nodes.at[n].part : NULL;
    return part && part->n == 0 ? part : NULL;
}

/* Its next event; infinite: it is gone. */
static double time_of_clock(const Sim *sim, DdpVar name)
{
    const Part *part = part_named(sim, name);
    return part ? part->timed : sample_next_time(sim, name);
}

static double next_of_all(const Sim *sim)
{
    double next = samples_next(sim, false);
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
    for (uint32_t i = 0; i < part->stops.n; i++)
        next = fmin(next, time_of_clock(part->sim, part->stops.at[i]));
    return next;
}

double time_stops_all(const Sim *sim)
{
    return fmin(samples_next(sim, true), parts_first_key(sim, HEAP_CLOCKS));
}

bool time_stop_everywhere(Part *part)
{
    bool before = part->stops.all;
    part->stops.all = true;
    return !before;
}

static void stop_everybody(Sim *sim, DdpVar name)
{
    Part *part = part_named(sim, name);
    SampleMemo *sample = sample_of(sim, name);
    if (part)
        part->stops.broad = true;
    if (sample)
        sample->broad = true;
}

/* A clock that a part has no room for stops everybody. */
static void link_clock(Part *part, DdpVar name)
{
    PartStops *stops = &part->stops;
    uint32_t i = 0, kept = 0;
    if (part->n == 0 || !name)
        return;
    while (i < stops->n && stops->at[i] != name)
        i++;
    if (i < stops->n)
        return;
    for (i = 0; i < stops->n; i++) /* those that are gone leave */
        if (part_named(part->sim, stops->at[i]) || sample_of(part->sim, stops->at[i]))
            stops->at[kept++] = stops->at[i];
    stops->n = kept;
    if (kept < PART_STOPS)
        stops->at[stops->n++] = name;
    else
        stop_everybody(part->sim, name);
}

typedef struct Linking {
    Sim *sim;
    DdpVar clock;
} Linking;

static void link_rel(void *context, DdpRel rel)
{
    const Linking *linking = context;
    DdpVar var = ddp_causality(linking->sim->ddp, rel);
    DdpNode n = var ? linking->sim->info[var].node : 0;
    if (n && linking->sim->nodes.at[n].part)
        link_clock(linking->sim->nodes.at[n].part, linking->clock);
}

static void link_branches(Sim *sim, const Part *clock)
{
    Linking linking = {sim, name_of(sim, clock)};
    for (uint32_t i = 0; i < clock->lists.roots.n; i++) {
        const EvalNode *node = &sim->nodes.at[clock->lists.roots.at[i]];
        for (uint32_t k = 0; k < node->n_steps + node->n_tears; k++)
            for (BranchId id = sim->info[node_output(node, k)].branches; id;
                 id = sim->branches.at[id].next)
                world_branch_rels(sim->world, id, link_rel, &linking);
    }
}

/* Is it one of a sample with the same times? */
static bool is_listed(const Sim *sim, const SampleMemo *sample)
{
    for (uint32_t i = 0; i < sim->search.clocks.n; i++) {
        const SampleMemo *other = sample_of(sim, sim->search.clocks.at[i]);
        if (other && other->origin == sample->origin && other->interval == sample->interval)
            return true;
    }
    return false;
}

static void list_samples(Sim *sim)
{
    for (uint32_t i = 0; i < sim->decide.samples.n; i++) {
        const SampleMemo *sample = &sim->decide.samples.at[i];
        if (sample_was_due(sim, sample) && sim->search.clocks.n < MOST_CLOCKS &&
            !is_listed(sim, sample))
            vec_push(sim->mem, &sim->search.clocks, sample->var);
    }
}

void time_stops_begin(Sim *sim)
{
    vec_clear(&sim->search.clocks);
    for (uint32_t i = 0; i < parts_touched(sim).n; i++) {
        const Part *part = parts_touched(sim).at[i];
        if (part->n == 0 && part->started && part_due(part))
            vec_push(sim->mem, &sim->search.clocks, name_of(sim, part));
    }
    list_samples(sim);
}

void time_stops_restarted(Part *part)
{
    if (part->sim->search.clocks.n == 1)
        link_clock(part, part->sim->search.clocks.at[0]);
}

void time_stops_end(Sim *sim)
{
    for (uint32_t i = 0; i < sim->search.clocks.n; i++) {
        Part *clock = part_named(sim, sim->search.clocks.at[i]);
        if (!clock || clock->stops.known)
            continue;
        clock->stops.broad |= clock->lists.roots.n > MOST_ROOTS;
        if (!clock->stops.broad)
            link_branches(sim, clock);
        clock->stops.known = true;
        part_reorder(clock);
    }
    vec_clear(&sim->search.clocks);
}
