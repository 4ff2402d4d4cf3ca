/* trail.c: what an event changes -> as it was when the event began. See trail.h. */
#include "runtime/event/trail.h"

void trail_begin(Sim *sim)
{
    vec_clear(&sim->decide.trail.held);
    vec_clear(&sim->decide.trail.states);
    vec_clear(&sim->decide.trail.truths);
    sim->decide.trail.broken = sim->decide.trail.chose = false;
}

void trail_close(Sim *sim)
{
    vec_free(sim->mem, &sim->decide.trail.held);
    vec_free(sim->mem, &sim->decide.trail.states);
    vec_free(sim->mem, &sim->decide.trail.truths);
}

void trail_held(Sim *sim, DdpVar var, double before)
{
    vec_push(sim->mem, &sim->decide.trail.held, ((OldValue){var, before}));
}

void trail_truth(Sim *sim, BranchId branch, bool before)
{
    vec_push(sim->mem, &sim->decide.trail.truths, ((OldTruth){branch, before}));
}

void trail_state(Sim *sim, DdpVar var)
{
    vec_push(sim->mem, &sim->decide.trail.states, ((OldValue){var, sim->value[var]}));
}

void trail_break(Sim *sim)
{
    sim->decide.trail.broken = true;
}

bool trail_leads_back(const Sim *sim)
{
    return !sim->decide.trail.broken && sim->search.impulse_time < sim->time && parts_running(sim);
}
