/* compare_bound.c: a comparison -> how exactly it is known, and whether it came from beyond that. */
#include "runtime/eval/compare.h"

#include <math.h>

/* One that is at its boundary all the time is asked in every step: a bound serves some of them. */
void compare_renew_bound(Sim *sim, const EvalNode *node, Compare *compare, double time)
{
    if (compare->bound_event == sim->counts.events + 1 && time <= compare->bound_to)
        return;
    ErrorBound bound = error_bound(sim, &node->ops[compare->op], compare->difference_code);
    compare->rounding = bound.rounding;
    compare->tolerance = bound.tolerance;
    compare->bound_event = sim->counts.events + 1;
    compare->bound_to = time + compare_look(sim) / 64;
}

/* In tolerances of the integrator: further than any margin of a condition that chatters. A condition may be made of
 * others, in so many steps. */
enum { FAR = 200, MOST_STEPS = 3, MOST_READS = 4 };

static bool node_from_afar(Sim *sim, EvalNode *node)
{
    for (uint32_t k = 0; k < node->n_compares; k++) {
        Compare *compare = &node->compare[k];
        if (!compare->moved || compare->timed || compare->slot || compare->reach == 0)
            continue;
        compare_renew_bound(sim, node, compare, sim->time);
        if (compare->reach > FAR * compare->tolerance)
            return true;
    }
    return false;
}

bool compare_any_from_afar(Sim *sim, const NodeList *list)
{
    for (uint32_t i = 0; i < list->n; i++)
        if (node_from_afar(sim, compare_node(sim, list, i)))
            return true;
    return false;
}

static bool came_from_afar(Sim *sim, DdpVar condition, int steps)
{
    EvalNode *node = sim->info[condition].node ? &sim->nodes.at[sim->info[condition].node] : NULL;
    if (node && node_from_afar(sim, node))
        return true;
    for (uint32_t k = 0; node && steps && k < node->n_reads && k < MOST_READS; k++)
        if (came_from_afar(sim, node->reads[k].var, steps - 1))
            return true;
    return false;
}

bool compare_came_from_afar(Sim *sim, DdpVar condition)
{
    return came_from_afar(sim, condition, MOST_STEPS);
}
