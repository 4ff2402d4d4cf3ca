/* trail.c: what an event changes -> as it was when the event began. See trail.h. */
#include "runtime/event/trail.h"

#include <math.h>

enum { MOST_WARNED = 10 };

static const double JUMP = 100; /* tolerances of the integrator */

void trail_begin(Sim *sim)
{
    vec_clear(&sim->decide.trail.held);
    vec_clear(&sim->decide.trail.states);
    vec_clear(&sim->decide.trail.begun);
    vec_clear(&sim->decide.trail.truths);
    sim->decide.trail.states_before = 0;
    sim->decide.trail.paths = world_paths(sim->world);
    sim->decide.trail.impulse_time = sim->search.impulse_time;
    sim->decide.trail.broken = sim->decide.trail.changed = sim->decide.trail.chose =
        sim->decide.trail.stays = false;
}

void trail_close(Sim *sim)
{
    vec_free(sim->mem, &sim->decide.trail.held);
    vec_free(sim->mem, &sim->decide.trail.states);
    vec_free(sim->mem, &sim->decide.trail.begun);
    vec_free(sim->mem, &sim->decide.trail.truths);
    vec_free(sim->mem, &sim->update.befores);
    vec_free(sim->mem, &sim->update.restarted);
}

/* Fixed steps have no integrators that are started. */
static bool time_goes_on(const Sim *sim)
{
    return parts_running(sim) || sim->counts.steps > 0;
}

void trail_before(Sim *sim, DdpVar var, double before)
{
    if (time_goes_on(sim) && sim->info[var].has)
        vec_push(sim->mem, &sim->update.befores, ((OldValue){var, before}));
}

void trail_started(Sim *sim, DdpVar var)
{
    if (time_goes_on(sim))
        vec_push(sim->mem, &sim->update.restarted, var);
}

void trail_end_update(Sim *sim)
{
    vec_clear(&sim->update.befores);
    vec_clear(&sim->update.restarted);
    sim->decide.trail.states_before = sim->decide.trail.states.n;
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

void trail_begun(Sim *sim, DdpVar var)
{
    if (parts_running(sim) && sim->info[var].has && trail_is_old(sim, var))
        vec_push(sim->mem, &sim->decide.trail.begun, ((OldValue){var, sim->value[var]}));
}

void trail_break(Sim *sim)
{
    sim->decide.trail.broken = true;
}

void trail_change(Sim *sim)
{
    sim->decide.trail.changed = true;
}

bool trail_is_old(const Sim *sim, DdpVar var)
{
    return sim->info[var].birth <= sim->record.births_before;
}

static bool was_state(const Sim *sim, DdpVar var)
{
    for (uint32_t i = 0; i < sim->decide.trail.states.n; i++)
        if (sim->decide.trail.states.at[i].var == var)
            return true;
    return sim->info[var].state != 0;
}

void trail_died(Sim *sim, DdpVar var)
{
    if (trail_is_old(sim, var) && (ddp_var(sim->ddp, var).kind != DDP_UNKNOWN ||
                                   ddp_var_rank(sim->ddp, var) || was_state(sim, var)))
        trail_break(sim);
}

bool trail_leads_back(const Sim *sim)
{
    return trail_is_whole(sim) && !sim->decide.trail.changed &&
           sim->search.impulse_time < sim->time;
}

bool trail_is_whole(const Sim *sim)
{
    return !sim->decide.trail.broken && parts_running(sim) &&
           sim->decide.trail.paths == world_paths(sim->world);
}

/* Was it a state that is listed before? The first value counts. */
static bool is_first(const Sim *sim, uint32_t i)
{
    for (uint32_t k = 0; k < i; k++)
        if (sim->decide.trail.states.at[k].var == sim->decide.trail.states.at[i].var)
            return false;
    return true;
}

bool trail_jumped(Sim *sim, uint32_t i)
{
    const OldValue *old = &sim->decide.trail.states.at[i];
    evaluate_fetch(sim, old->var, EVAL_EVENT); /* it may be an output now */
    double size = fmax(fabs(old->value), fabs(sim->value[old->var]));
    double off = fabs(sim->value[old->var] - old->value);
    return !(off <= JUMP * values_allowed(sim, old->var, size)) && is_first(sim, i);
}

/* Is it the one that was a state, and does something else determine it now? */
static bool is_bound(const Sim *sim, DdpVar var)
{
    return ddp_var_used(sim->ddp, var) && sim->info[var].has && !sim->info[var].pending &&
           !sim->info[var].state && sim->info[var].birth <= sim->record.births_before;
}

uint32_t trail_bound(Sim *sim, DdpVar var)
{
    for (uint32_t i = 0; var && i < sim->decide.trail.states.n; i++)
        if (sim->decide.trail.states.at[i].var == var && is_bound(sim, var))
            return trail_jumped(sim, i) ? i + 1 : 0;
    return 0;
}

static bool is_balanced(const Sim *sim, DdpVar var)
{
    for (uint32_t i = 0; i < sim->decide.jumps.n; i++)
        if (sim->decide.jumps.at[i].var == var)
            return true;
    return false;
}

static bool warns_of(Sim *sim, uint32_t i, Place *at)
{
    OldValue old = sim->decide.trail.states.at[i];
    WorldVar view = {0};
    if (!is_bound(sim, old.var) || is_balanced(sim, old.var) || !trail_jumped(sim, i))
        return false;
    world_var(sim->world, old.var, &view);
    *at = view.at;
    return !map_get(&sim->decide.jumps_told_at, view.at);
}

static void warn_jump(Sim *sim, OldValue old, Place at)
{
    diag_warning(sim->diags, at,
                 "at time %.10g the state %s jumps from %.10g to %.10g: the new equations bind "
                 "it, and what "
                 "an impulse would keep (momentum, charge, flux) is not kept",
                 sim->time, explain_var(sim, old.var), old.value, sim->value[old.var]);
    explain_determined_by(sim, old.var);
}

/* Of states that one declaration makes, those of the first event in which one jumps are told. */
void trail_warn_jumps(Sim *sim)
{
    uint32_t told_before = sim->decide.jumps_told.n;
    for (uint32_t i = 0; i < sim->decide.trail.states.n; i++) {
        Place at = 0;
        if (sim->decide.jumps_told.n > MOST_WARNED || sim->search.impulse_time >= sim->time)
            break;
        if (!warns_of(sim, i, &at))
            continue;
        vec_push(sim->mem, &sim->decide.jumps_told, at);
        if (sim->decide.jumps_told.n > MOST_WARNED)
            diag_warning(sim->diags, 0, "of other states that jump nothing is said");
        else
            warn_jump(sim, sim->decide.trail.states.at[i], at);
    }
    for (uint32_t i = told_before; i < sim->decide.jumps_told.n; i++)
        map_put(sim->mem, &sim->decide.jumps_told_at, sim->decide.jumps_told.at[i], 1);
}
