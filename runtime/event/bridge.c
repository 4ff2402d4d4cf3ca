/* bridge.c: a step that failed for want of values -> across the boundary behind which there are
 * none.
 *
 * An integrator evaluates at trial points, some of which lie beyond a boundary that a condition
 * watches: `if h > 0 then q = sqrt(h)` has no value below 0. It tries smaller steps, comes as near
 * as it can, and gives up. From there the states go straight on with their last slopes, by no more
 * than the tolerance of the integrator allows; where a condition changes on that way, that is the
 * event. Behind it the part starts anew.
 */
#include "runtime/eval/compare.h"
#include "runtime/event/event.h"

#include <float.h>
#include <math.h>

static void close_bridge(Part *part)
{
    mem_free(part->sim->mem, part->bridge.at);
    part->bridge.at = NULL;
    part->bridge.on = false;
}

/* States and slopes where the last step ended; false: they have no values there either. */
static bool begin(Part *part)
{
    Sim *sim = part->sim;
    uint32_t n = part->states.n;
    close_bridge(part);
    part_at(part, part->now);
    if (!n || part_evaluate(part, part->now, NULL) != 0)
        return false;
    part->bridge.at = mem_alloc(sim->mem, 2 * (size_t)n * sizeof *part->bridge.at);
    for (uint32_t i = 0; i < n; i++) {
        part->bridge.at[i] = sim->value[part->states.at[i].var];
        part->bridge.at[n + i] = sim->value[part->states.at[i].slope];
    }
    part->bridge.from = part->now;
    return true;
}

/* How far states may go straight on. */
static double reach(const Part *part)
{
    uint32_t n = part->states.n;
    double longest = compare_look(part->sim);
    for (uint32_t i = 0; i < n; i++) {
        double allowed =
            values_allowed(part->sim, part->states.at[i].var, fabs(part->bridge.at[i]));
        if (part->bridge.at[n + i] != 0)
            longest = fmin(longest, allowed / fabs(part->bridge.at[n + i]));
    }
    return longest;
}

bool part_bridge(Part *part)
{
    Sim *sim = part->sim;
    double from = part->from, now = part->now;
    if (!failure_any(sim) || !begin(part))
        return false;
    part->bridge.on = true;
    double longest = reach(part);
    for (double h = 16 * DBL_EPSILON * fmax(fabs(now), longest); h <= longest; h *= 4) {
        part->from = from;
        part->now = now + h;
        if (part_search(part, part->now) == SOL_OK && part->event <= part->now)
            break;
    }
    part->from = from;
    part->bridge.on = part->event <= part->now;
    if (!part->bridge.on)
        part->now = now;
    return part->bridge.on;
}
