/* implicit_starts.c: where states begin, and what they were before this update -> the same again, for another combination of
 * branches. See implicit.h. */
#include "runtime/event/implicit.h"

void implicit_close(Sim *sim)
{
    vec_free(sim->mem, &sim->decide.implicit.starts);
    vec_free(sim->mem, &sim->decide.implicit.begins);
}

void implicit_keep_starts(Sim *sim)
{
    if (!world_has_implicit(sim->world))
        return;
    for (uint32_t i = 0; i < sim->start.starts.n; i++)
        if (sim->start.starts.at[i].var)
            vec_push(sim->mem, &sim->decide.implicit.starts, sim->start.starts.at[i]);
    for (uint32_t i = 0; i < sim->start.begins.n; i++)
        vec_push(sim->mem, &sim->decide.implicit.begins, sim->start.begins.at[i]);
}

void implicit_drop_start(Sim *sim, DdpRel rel)
{
    for (uint32_t i = 0; i < sim->decide.implicit.starts.n; i++)
        if (sim->decide.implicit.starts.at[i].rel == rel)
            sim->decide.implicit.starts.at[i].var = 0;
}

bool implicit_is_started(const Sim *sim, DdpVar var)
{
    for (uint32_t i = 0; i < sim->update.restarted.n; i++)
        if (sim->update.restarted.at[i] == var)
            return true;
    for (uint32_t i = 0; i < sim->start.reinits.n; i++)
        if (sim->start.reinits.at[i].given && sim->start.reinits.at[i].state == var)
            return true;
    return false;
}

static double value_at_birth(const Sim *sim, DdpVar var)
{
    for (uint32_t i = sim->decide.implicit.begins.n; i-- > 0;)
        if (sim->decide.implicit.begins.at[i].var == var)
            return sim->decide.implicit.begins.at[i].value;
    return 0;
}

/* What is born in this update begins anew, the rest has what it had before. */
void implicit_committed(Sim *sim)
{
    if (!sim->decide.implicit.tries)
        return;
    for (uint32_t i = 0; i < sim->states.n; i++) {
        DdpVar var = sim->states.at[i].var;
        if (!parts_running(sim) || sim->info[var].birth > sim->update.births_before)
            values_set(sim, var, value_at_birth(sim, var));
    }
    for (uint32_t i = sim->decide.trail.states.n; i-- > sim->decide.trail.states_before;) {
        OldValue old = sim->decide.trail.states.at[i];
        if (parts_running(sim) && sim->info[old.var].state && !implicit_is_started(sim, old.var) &&
            sim->info[old.var].birth <= sim->update.births_before)
            values_set(sim, old.var, old.value);
    }
    sim->decide.implicit.tries = false; /* once */
}
