/* firings.c: how often a condition has fired, and how quickly -> whether its events accumulate, or the integrator's error
 * fires it. */
#include "runtime/eval/compare.h"
#include "runtime/event/conditions.h"

#include <math.h>

enum { SHRINKING = 15, TIGHT = 30, QUICK = 16, OFTEN = 8, MOST_DOUBLINGS = 7, MOST_MARGIN = 100 };

/* Gaps between firings that are made of rounding, as a part of the whole time: some hundred times
 * what the location of events can tell apart. */
static const double SHORTEST = 1e-13;
/* Gaps that shrink without end come near to rounding before they are made of it. One that is suddenly a thousand times shorter than
 * the one before is another firing of the same crossing, as are those that follow it, and no gap. */
static const double SUDDEN = 1e-3;

static Firings *firings_of(Sim *sim, BranchMemo *memo)
{
    if (!memo->firings) {
        memo->firings = mem_alloc(sim->mem, sizeof *memo->firings);
        *memo->firings = (Firings){.last = NAN, .up_to = -INFINITY};
    }
    return memo->firings;
}

static void note_gap(Firings *past, double gap, double time)
{
    double ratio = gap / past->gap;
    past->shrinking = gap < past->gap ? past->shrinking + 1 : 0;
    if (ratio < 1 && ratio > past->ratio / 2) /* the last gaps are made of rounding */
        past->limit = time + gap * ratio / (1 - ratio);
    past->ratio = ratio;
    past->gap = gap;
}

/* Firings of one condition by states: at intervals that shrink without end (Zeno), or that are no
 * longer than rounding (chattering). Conditions of the clock and of held values may fire as they
 * like. */
void firings_note(Sim *sim, BranchId id, BranchMemo *memo)
{
    DdpNode node = sim->info[memo->condition].node;
    if (!node || !sim->nodes.at[node].varies || sim->record.event.updates > 1)
        return;
    Firings *past = firings_of(sim, memo);
    double gap = sim->time - past->last, whole = sim->opt.stop - sim->opt.start;
    bool short_gap = gap <= SHORTEST * fmax(whole, fabs(sim->time));
    if (!(short_gap && gap < SUDDEN * past->gap))
        note_gap(past, gap, sim->time);
    bool accumulates = short_gap && past->shrinking >= SHRINKING && past->gap == gap;
    past->tight = short_gap ? past->tight + 1 : 0;
    bool by_errors =
        gap <= compare_look(sim) / QUICK && !compare_came_from_afar(sim, memo->condition);
    past->often = by_errors ? past->often + 1 : past->often / 2;
    past->since = past->often ? past->since : sim->time;
    past->last = sim->time;
    past->up_to = -INFINITY;
    if (memo->when && past->shrinking)
        vec_push(sim->mem, &sim->decide.faster, id);
    if (past->tight >= TIGHT || accumulates)
        sim->decide.runaway = id;
}

/* How many tolerances of the integrator a condition must be beyond its boundary to count. Where it
 * fires again and again, quickly, from near its boundary and without any impulse, the integrator's error fires, and twice
 * as many of them with every few firings: 1, 3, 7, .. */
uint32_t event_margin(const Sim *sim, DdpVar var)
{
    uint32_t doublings = 0;
    for (BranchId id = var ? sim->info[var].branches : 0; id; id = sim->branches.at[id].next) {
        const Firings *past = sim->branches.at[id].firings;
        if (past && past->often / OFTEN > doublings && sim->search.impulse_time < past->since)
            doublings = past->often / OFTEN;
    }
    return doublings < MOST_DOUBLINGS ? (1u << doublings) - 1 : MOST_MARGIN;
}

/* What is on the other side for half a look longer than on its own counts there, however near it is: errors come and
 * go. One look alone says nothing. Of what is no condition itself it is not known how long. */
bool event_persists(Sim *sim, DdpVar var, double lo, double hi)
{
    double look = compare_look(sim);
    bool long_enough = false;
    if (!var || !sim->info[var].branches)
        return hi - sim->decide.event_time > look / 2;
    for (BranchId id = sim->info[var].branches; id; id = sim->branches.at[id].next) {
        Firings *past = firings_of(sim, &sim->branches.at[id]);
        double away = lo - past->up_to;
        bool again = away <= 1e-12 * fmax(look, fabs(lo));
        past->beyond = (again ? past->beyond : fmax(0, past->beyond - away)) + hi - lo;
        past->up_to = hi;
        long_enough |= again && past->beyond > look / 2;
    }
    return long_enough;
}

SolStatus firings_ran_away(Sim *sim)
{
    const Firings *known = sim->branches.at[sim->decide.runaway].firings;
    Firings past = known ? *known : (Firings){0}; /* none: the event that it caused ended it */
    WorldBranch view = {0};
    world_branch(sim->world, sim->decide.runaway, &view);
    const char *text = explain_condition(sim, sim->decide.runaway);
    if (past.tight >= TIGHT && !sim->branches.at[sim->decide.runaway].when) {
        diag_error(
            sim->diags, view.at,
            "at time %.10g the condition %s slides: where it holds the motion leads to where "
            "it does not, and back, %u times in a row at intervals of %.3g or less",
            sim->time, text, past.tight, past.gap);
        diag_note(sim->diags, view.at,
                  "give it a hysteresis, or a branch for the motion along its boundary");
    } else if (past.tight >= TIGHT) {
        diag_error(
            sim->diags, view.at,
            "at time %.10g the condition %s chatters: it fired %u times in a row at intervals of "
            "%.3g or less",
            sim->time, text, past.tight, past.gap);
        diag_note(sim->diags, view.at,
                  "give it a hysteresis, or a branch for the motion along its boundary");
    } else {
        diag_error(
            sim->diags, view.at,
            "at time %.10g the condition %s has fired %u times at ever shorter intervals, the last "
            "of %.3g: its events accumulate at about %.10g",
            sim->time, text, past.shrinking + 1, past.gap, past.limit);
        diag_note(sim->diags, view.at, "give the model a branch in which it comes to rest");
    }
    return SOL_NUMERICS;
}
