/* sense_jump.c: derivatives before an event, or none before the start -> behind it. See sense.h.
 *
 * Two copies of the simulation go through the event, one with the parameter and all that depends on it a little larger, one
 * with it a little smaller. They begin some way before it, because in one of them it comes earlier, and behind it each stands at the
 * time of its own event; what they have moved since is taken off. Where the last event is too near for that, the copies of that
 * event go on.
 */
#include "runtime/event/event_cause.h"
#include "runtime/sim/sense_int.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- copies ---- */

void sense_close_copies(const Sense *sense, SenseBy *by)
{
    for (int side = 0; side < 2; side++) {
        sense->host->close(by->copy[side]);
        by->copy[side] = NULL;
    }
}

void sense_close_middle(Sense *sense)
{
    sense->host->close(sense->middle);
    sense->middle = NULL;
}

static void say_nothing(void *context, double time, const char *text)
{
    (void)context, (void)time, (void)text;
}

static bool is_set(const Sim *sim, const char *path)
{
    for (uint32_t i = 0; i < sim->opt.n_sets; i++)
        if (strcmp(sim->opt.sets[i].path, path) == 0)
            return true;
    return false;
}

/* The options of the simulation for a copy that nobody sees; sets: room for one more. What is restored has as many sets as the
 * simulation. */
static SolOptions options_of_copy(const Sim *sim, const SenseBy *by, SolSet *sets,
                                  const char *value, bool restored)
{
    const double strict = 1e-11;
    SolOptions opt = sim->opt;
    uint32_t n = opt.n_sets;
    for (uint32_t i = 0; i < n; i++) {
        bool own = value && strcmp(opt.sets[i].path, by->path) == 0;
        sets[i] = own ? (SolSet){by->path, value} : opt.sets[i];
    }
    if (value && !is_set(sim, by->path) && !restored)
        sets[n++] = (SolSet){by->path, value};
    opt.sets = sets;
    opt.n_sets = n;
    opt.n_sensitivities = 0;
    opt.audit = 0;
    opt.trace = NULL;
    opt.engine = SOL_ENGINE_INTERP;
    if (opt.rtol > strict) {
        opt.atol *= strict / opt.rtol;
        opt.rtol = strict;
    }
    return opt;
}

/* With the parameter of `by` larger by `step`, also where it is born again; by NULL: as it is. */
static Sim *new_copy(Sense *sense, const SenseBy *by, double step, bool restored)
{
    const Sim *sim = sense->sim;
    char value[40];
    if (by)
        snprintf(value, sizeof value, "%.17g", by->value + step);
    SolSet *sets = mem_alloc(sim->mem, (sim->opt.n_sets + 1) * sizeof *sets);
    SolOptions opt = options_of_copy(sim, by, sets, by ? value : NULL, restored);
    Sim *copy = sense->host->like(sim, &opt);
    mem_free(sim->mem, sets);
    if (!copy)
        return NULL;
    SolOutput none = {.cout = say_nothing};
    copy->output.to = none;
    event_news_to(copy, &none);
    event_record_listen(copy, NULL, NULL);
    return copy;
}

/* What copies say nobody wants to hear: of what they warn the simulation has warned. */
typedef struct Silence {
    uint32_t said, warnings;
} Silence;

static Silence begin_silence(const Diags *diags)
{
    return (Silence){diags->list.n, diags->warnings};
}

static void end_silence(Diags *diags, const Silence *silence)
{
    diags_drop_errors(diags, silence->said);
    diags->list.n = silence->said;
    diags->warnings = silence->warnings;
}

/* The variable of the same path; 0: there is none. */
static DdpVar same_var(const Sim *sim, DdpVar var, const Sim *copy)
{
    char here[1024], there[1024];
    world_var_path(sim->world, var, here, sizeof here);
    if (ddp_var_used(copy->ddp, var)) {
        world_var_path(copy->world, var, there, sizeof there);
        if (strcmp(here, there) == 0)
            return var;
    }
    return world_find(copy->world, here);
}

/* Are the same branches there, with the same choices, and as many relations? */
static bool is_alike(const Sim *sim, const Sim *copy)
{
    if (sim->states.n != copy->states.n)
        return false;
    uint32_t n = sim->branches.n < copy->branches.n ? copy->branches.n : sim->branches.n;
    for (BranchId id = 1; id < n; id++) {
        bool here = id < sim->branches.n && sim->branches.at[id].live;
        bool there = id < copy->branches.n && copy->branches.at[id].live;
        if (here != there)
            return false;
        if (here && !sim->branches.at[id].when &&
            sim->branches.at[id].truth != copy->branches.at[id].truth)
            return false;
    }
    return true;
}

/* ---- differences ---- */

/* The value of a variable of the simulation in a copy, at the time `now`, where it moves with `slope`. */
static bool value_in(const Sim *sim, DdpVar var, double slope, double now, Sim *copy, double *value)
{
    DdpVar own = same_var(sim, var, copy);
    if (!own || evaluate_fetch(copy, own, EVAL_PLAIN) != SOL_OK)
        return false;
    *value = copy->value[own] - slope * (copy->time - now);
    return isfinite(*value);
}

/* Its derivative from the copies, into by->next; bend: by how much that from above differs from that from below, where 1 is
 * allowed. False: it is not in all of them. */
static bool take_var(Sense *sense, SenseBy *by, DdpVar var, double slope, double *bend)
{
    Sim *sim = sense->sim;
    Sim *middle = sense->middle ? sense->middle : sim;
    double now = middle->time, low, value, high;
    if (!value_in(sim, var, slope, now, by->copy[0], &low) ||
        !value_in(sim, var, slope, now, middle, &value) ||
        !value_in(sim, var, slope, now, by->copy[1], &high))
        return false;
    double derivative = (high - low) / (2 * by->used);
    double size = fabs(value) + fabs(slope * (now - sim->opt.start));
    double allowed = 1e-3 * (fabs(derivative) + size / by->size) + 1e-8 / by->size;
    *bend = fmax(*bend, fabs(high + low - 2 * value) / by->used / allowed);
    by->next[var] = derivative;
    return isfinite(derivative);
}

/* Of all states and of all that is held; NULL, or why there is none. */
static const char *take_all(Sense *sense, SenseBy *by)
{
    Sim *sim = sense->sim;
    bool fine = true;
    double bend = 0;
    for (uint32_t i = 0; i < sim->states.n && fine; i++) {
        const StateInfo *state = &sim->states.at[i];
        fine = evaluate_fetch(sim, state->slope, EVAL_PLAIN) == SOL_OK &&
               evaluate_fetch(sim, state->var, EVAL_PLAIN) == SOL_OK &&
               take_var(sense, by, state->var, sim->value[state->slope], &bend);
    }
    for (uint32_t i = 0; i < sense->held.n && fine; i++)
        fine = take_var(sense, by, sense->held.at[i], 0, &bend);
    if (!fine)
        return "a little above and a little below other variables are there";
    if (bend > 1)
        return "from above it is another one than from below";
    memset(by->tangent, 0, sense->room * sizeof *by->tangent);
    for (uint32_t i = 0; i < sim->states.n; i++)
        by->tangent[sim->states.at[i].var] = by->next[sim->states.at[i].var];
    for (uint32_t i = 0; i < sense->held.n; i++)
        by->tangent[sense->held.at[i]] = by->next[sense->held.at[i]];
    DdpVar own = world_find(sim->world, by->path); /* another one may have been born in its place */
    if (own && !sim->info[own].node && !sim->info[own].state)
        by->tangent[own] = 1;
    return NULL;
}

/* ---- the start ---- */

static SolStatus start_copy(Sense *sense, SenseBy *by, int side)
{
    Sim *copy = by->copy[side] = new_copy(sense, by, side ? by->used : -by->used, false);
    if (!copy)
        return sense->host->exhausted(sense->sim);
    copy->run.initialised = false;
    return sense->host->start(copy);
}

static SolStatus start_by(Sense *sense, SenseBy *by)
{
    Sim *sim = sense->sim;
    Silence silence = begin_silence(sim->diags);
    SolStatus status = SOL_OK;
    by->used = by->step;
    for (int side = 0; side < 2 && status == SOL_OK; side++)
        status = start_copy(sense, by, side);
    if (status == SOL_MEMORY)
        return status;
    end_silence(sim->diags, &silence);
    const char *why = NULL;
    if (status != SOL_OK || !is_alike(sim, by->copy[0]) || !is_alike(sim, by->copy[1]))
        why = "a little above or a little below the model does not start, or starts otherwise";
    else if (!samples_same(sim, by->copy[0]))
        why = "times of Sample depend on it";
    else
        why = take_all(sense, by); /* they go on where the first event comes at once */
    if (why)
        sense_lose(sense, by, why);
    return SOL_OK;
}

SolStatus sense_jump_start(Sense *sense)
{
    SolStatus status = SOL_OK;
    for (uint32_t k = 0; k < sense->n && status == SOL_OK; k++)
        status = start_by(sense, &sense->by[k]);
    return status;
}

/* ---- an event ---- */

double sense_ahead(const Sense *sense, double event)
{
    return 64 * cbrt(DBL_EPSILON) * (event - sense->sim->opt.start);
}

/* The last time that is far enough before the event for the copies to begin; NULL: none is. */
static const SensePast *begin_of(const Sense *sense)
{
    double event = sense->sim->time, ahead = sense_ahead(sense, event);
    const SensePast *found = NULL;
    for (uint32_t i = 1; i < sense->past.n; i++)
        if (sense->past.at[i].time <= event - (found ? 0.99 * ahead : ahead / 16))
            found = &sense->past.at[i];
    return found;
}

/* by NULL: as the simulation was */
static void move_copy(const Sense *sense, const SenseBy *by, const SensePast *past, Sim *copy,
                      double step)
{
    uint32_t n = sense->states.n;
    const double *moves = by ? past->state + (size_t)n * (size_t)(by - sense->by + 1) : NULL;
    copy->time = past->time;
    copy->point_number++;
    values_set(copy, copy->clock, past->time);
    for (uint32_t i = 0; i < n; i++)
        values_set(copy, sense->states.at[i], past->state[i] + (by ? step * moves[i] : 0));
    for (uint32_t i = 0; by && i < sense->held_before.n; i++) {
        DdpVar var = sense->held_before.at[i];
        if (by->tangent[var] != 0 && ddp_var_used(copy->ddp, var))
            values_set(copy, var, copy->value[var] + step * by->tangent[var]);
    }
}

/* Which conditions hold, as a number. */
static uint64_t mode_of(const Sim *sim)
{
    uint64_t sum = sim->branches.n;
    for (BranchId id = 1; id < sim->branches.n; id++) {
        uint8_t one[2] = {sim->branches.at[id].live, sim->branches.at[id].truth};
        sum = hash_bytes(one, sizeof one, sum);
    }
    return sum;
}

/* A copy that begins at `past`. alike: the event does not come before that in it. */
static SolStatus fork_copy(Sense *sense, const SenseBy *by, double step, const SensePast *past,
                           Sim **to, bool *alike)
{
    Sim *copy = *to = new_copy(sense, by, step, true);
    if (!copy)
        return sense->host->exhausted(sense->sim);
    SolStatus status = sense->host->restore(copy, &sense->before);
    if (status != SOL_OK)
        return status;
    if (by && !is_set(sense->sim, by->path) &&
        !world_override(copy->world, by->path, TYPE_REAL, by->value + step))
        return SOL_MEMORY;
    uint64_t mode = mode_of(copy);
    move_copy(sense, by, past, copy, step);
    cause_written(copy, copy->clock);
    status = sense->host->event(copy);
    *alike = mode_of(copy) == mode;
    return status;
}

/* The copy goes on until it is what the simulation is behind the event, or far behind its time. */
static SolStatus pass_event(const Sense *sense, Sim *copy, bool *alike)
{
    const Sim *sim = sense->sim;
    SolStatus status = SOL_OK;
    bool happened = true;
    double near = 1e-9 * (sim->opt.stop - sim->opt.start);
    double end = fmax(sim->time + fmax(sense_ahead(sense, sim->time), near), copy->time);
    *alike = false;
    while (status == SOL_OK && happened && !*alike) {
        happened = false;
        status = sense->host->run(copy, end, true, false, &happened);
        *alike = happened && is_alike(sim, copy);
    }
    return status;
}

/* A new copy from `past` on, or, without one, that of the last event, behind this event. alike: it ends as the simulation. */
static SolStatus copy_behind(Sense *sense, const SenseBy *by, double step, const SensePast *past,
                             Sim **copy, bool *alike)
{
    SolStatus status = SOL_OK;
    *alike = true;
    if (past) {
        sense->host->close(*copy);
        *copy = NULL;
        status = fork_copy(sense, by, step, past, copy, alike);
    }
    *alike &= *copy != NULL;
    return status == SOL_OK && *alike ? pass_event(sense, *copy, alike) : status;
}

/* False: there is no copy that goes where the simulation goes. *status: memory ran out, or the run is cancelled. */
static bool has_copy(Sense *sense, const SenseBy *by, double step, const SensePast *past,
                     Sim **copy, SolStatus *status)
{
    bool alike = false;
    Silence silence = begin_silence(sense->sim->diags);
    *status = copy_behind(sense, by, step, past, copy, &alike);
    if (*status == SOL_MEMORY || *status == SOL_CANCELLED)
        return false;
    end_silence(sense->sim->diags, &silence);
    alike &= *status == SOL_OK;
    *status = SOL_OK;
    return alike;
}

static bool has_both(Sense *sense, SenseBy *by, const SensePast *past, SolStatus *status)
{
    bool both = true;
    for (int side = 0; side < 2 && both; side++)
        both = has_copy(sense, by, side ? by->used : -by->used, past, &by->copy[side], status);
    return both;
}

/* Where the time of the event moves far with the parameter, only smaller differences keep it near. */
static SolStatus jump_by(Sense *sense, SenseBy *by, const SensePast *past)
{
    enum { ATTEMPTS = 3 };
    const char *why = "";
    SolStatus status = SOL_OK;
    if (past)
        by->used = by->step;
    for (int i = 0; i < ATTEMPTS && why && status == SOL_OK && (past || i == 0); i++) {
        by->used /= i ? 32 : 1;
        why = "a little above or a little below the event is another one, or there is none";
        if (has_both(sense, by, past, &status))
            why = take_all(sense, by);
    }
    if (status == SOL_OK && why)
        sense_lose(sense, by, why);
    return status;
}

SolStatus sense_jump(Sense *sense)
{
    SolStatus status = SOL_OK;
    const SensePast *past = begin_of(sense);
    vec_clear(&sense->held_before);
    for (uint32_t i = 0; i < sense->held.n; i++)
        vec_push(sense->sim->mem, &sense->held_before, sense->held.at[i]);
    sense_list_held(sense); /* as it is behind the event */
    if (!has_copy(sense, NULL, 0, past, &sense->middle, &status) && status == SOL_OK)
        sense_close_middle(sense); /* the simulation itself stands in the middle */
    for (uint32_t k = 0; k < sense->n && status == SOL_OK; k++)
        if (!sense->by[k].lost)
            status = jump_by(sense, &sense->by[k], past);
    return status;
}
