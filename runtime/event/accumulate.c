/* accumulate.c: `when`s that fired ever faster, when a phase begins -> an error where one goes through its boundary.
 */
#include "runtime/event/conditions.h"

enum { UNDONE = 5 }; /* times that its events made it false again */

/* A ball whose bounces undid its fall each time, sooner and sooner, and now do not: it is within errors of the
 * floor, and would go on through it. Where another branch begins it may come to rest. */
static bool goes_through(Sim *sim, const BranchMemo *memo)
{
    Firings *past = memo->firings;
    bool holds = memo->truth && !(memo->false_since <= sim->time);
    bool undone_before = past->undone >= UNDONE && past->shrinking >= UNDONE;
    past->undone = holds ? 0 : past->undone + 1;
    return holds && undone_before && !sim->decide.chose_if && event_leads_on(sim, memo->condition);
}

SolStatus firings_end(Sim *sim)
{
    for (uint32_t i = 0; i < sim->decide.faster.n && !sim->decide.runaway; i++) {
        BranchId id = sim->decide.faster.at[i];
        const BranchMemo *memo = &sim->branches.at[id];
        if (memo->live && memo->firings && goes_through(sim, memo))
            sim->decide.runaway = id;
    }
    vec_clear(&sim->decide.faster);
    return sim->decide.runaway ? firings_ran_away(sim) : SOL_OK;
}
