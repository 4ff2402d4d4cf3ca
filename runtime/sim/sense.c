/* sense.c: a run with parameters to differentiate by -> derivatives of all variables at every point. See sense.h. */
#include "base/similar.h"
#include "runtime/sim/sense_int.h"

#include <float.h>
#include <math.h>
#include <string.h>

Sense *sense_open(Sim *sim, const SenseHost *host)
{
    if (!sim->opt.n_sensitivities)
        return NULL;
    Sense *sense = mem_alloc(sim->mem, sizeof *sense);
    sense->sim = sim;
    sense->host = host;
    sense->n = sim->opt.n_sensitivities;
    sense->by = mem_alloc(sim->mem, sense->n * sizeof *sense->by);
    for (uint32_t k = 0; k < sense->n; k++)
        sense->by[k].path = sim->opt.sensitivities[k];
    return sense;
}

void sense_forget_past(Sense *sense)
{
    for (uint32_t i = 0; i < sense->past.n; i++)
        mem_free(sense->sim->mem, sense->past.at[i].state);
    vec_clear(&sense->past);
}

void sense_close(Sense *sense)
{
    if (!sense)
        return;
    Mem *mem = sense->sim->mem;
    for (uint32_t k = 0; k < sense->n; k++) {
        sense_close_copies(sense, &sense->by[k]);
        mem_free(mem, sense->by[k].tangent);
        mem_free(mem, sense->by[k].shown);
        mem_free(mem, sense->by[k].next);
    }
    sense_close_middle(sense);
    sense_forget_past(sense);
    vec_free(mem, &sense->past);
    vec_free(mem, &sense->held);
    vec_free(mem, &sense->held_before);
    vec_free(mem, &sense->states);
    vec_free(mem, &sense->work);
    vec_free(mem, &sense->pivot);
    vec_free(mem, &sense->present);
    pack_free(&sense->before);
    mem_free(mem, sense->by);
    mem_free(mem, sense);
}

void sense_lose(Sense *sense, SenseBy *by, const char *why)
{
    Sim *sim = sense->sim;
    if (!by->lost)
        diag_warning(sim->diags, 0, "at time %.10g there is no derivative by %s any more: %s",
                     sim->time, by->path, why);
    by->lost = true;
    sense_close_copies(sense, by);
}

/* ---- lists ---- */

static double *longer(Sim *sim, double *list, uint32_t from, uint32_t to)
{
    list = mem_resize(sim->mem, list, to * sizeof *list);
    for (uint32_t i = from; i < to; i++)
        list[i] = 0;
    return list;
}

void sense_grow(Sense *sense)
{
    Sim *sim = sense->sim;
    uint32_t room = sim->n_values;
    if (room <= sense->room)
        return;
    for (uint32_t k = 0; k < sense->n; k++) {
        SenseBy *by = &sense->by[k];
        by->tangent = longer(sim, by->tangent, sense->room, room);
        by->shown = longer(sim, by->shown, sense->room, room);
        by->next = longer(sim, by->next, sense->room, room);
    }
    sense->room = room;
}

void sense_list_held(Sense *sense)
{
    Sim *sim = sense->sim;
    vec_clear(&sense->held);
    for (DdpVar var = 1; var < ddp_var_limit(sim->ddp); var++) {
        WorldVar view = {0};
        bool is_free = ddp_var_used(sim->ddp, var) && var != sim->clock && var < sim->n_values &&
                       !sim->info[var].node && !sim->info[var].state && sim->info[var].has;
        if (is_free && world_var(sim->world, var, &view) && view.type == TYPE_REAL)
            vec_push(sim->mem, &sense->held, var);
    }
}

/* ---- what was since the last event ---- */

/* Where it is full, who stands closest to others, as seen from now, leaves: times that are kept lie the closer, the
 * nearer they are. */
static void make_room(Sense *sense, double now)
{
    uint32_t worst = 1;
    double least = INFINITY;
    for (uint32_t i = 1; i + 1 < sense->past.n; i++) {
        double before = sense->past.at[i - 1].time;
        double share = (sense->past.at[i + 1].time - before) / (now - before);
        if (share < least) {
            least = share;
            worst = i;
        }
    }
    mem_free(sense->sim->mem, sense->past.at[worst].state);
    memmove(sense->past.at + worst, sense->past.at + worst + 1,
            (--sense->past.n - worst) * sizeof *sense->past.at);
}

void sense_keep_past(Sense *sense)
{
    Sim *sim = sense->sim;
    uint32_t n = sim->states.n;
    if (sense->past.n == 0) {
        vec_clear(&sense->states);
        for (uint32_t i = 0; i < n; i++)
            vec_push(sim->mem, &sense->states, sim->states.at[i].var);
    }
    if (sense->past.n >= SENSE_PAST)
        make_room(sense, sense->time);
    SensePast past = {sense->time,
                      mem_alloc(sim->mem, ((size_t)n * (sense->n + 1) + 1) * sizeof(double))};
    for (uint32_t i = 0; i < n; i++) {
        DdpVar var = sim->states.at[i].var;
        past.state[i] = sim->value[var];
        for (uint32_t k = 0; k < sense->n; k++)
            past.state[(size_t)n * (k + 1) + i] = sense->by[k].tangent[var];
    }
    vec_push(sim->mem, &sense->past, past);
}

/* ---- parameters ---- */

static SolStatus refuse(Sim *sim, const char *path, const char *why)
{
    diag_error(sim->diags, 0, "nothing can be differentiated by %s: %s", path, why);
    return SOL_USAGE;
}

static SolStatus unknown(Sim *sim, const char *path)
{
    char best[256];
    set_nearest(sim, path, best, sizeof best);
    if (strcmp(best, path) == 0)
        return refuse(sim, path, "it belongs to something without a name, which nobody can set");
    refuse(sim, path, "there is no such parameter");
    if (best[0])
        diag_note(sim->diags, 0, "did you mean %s?", best);
    return SOL_USAGE;
}

static SolStatus find_parameter(Sense *sense, SenseBy *by)
{
    Sim *sim = sense->sim;
    WorldVar view = {0};
    DdpVar var = world_find(sim->world, by->path);
    if (!var || !world_var(sim->world, var, &view))
        return unknown(sim, by->path);
    if (view.kind != WORLD_PARAMETER)
        return refuse(sim, by->path, "it is a variable, and a parameter is wanted");
    if (view.type != TYPE_REAL)
        return refuse(sim, by->path,
                      view.type == TYPE_INTEGER   ? "it is an Integer, and has no neighbours"
                      : view.type == TYPE_BOOLEAN ? "it is a Boolean, and has no neighbours"
                                                  : "it is no number");
    if (sim->info[var].node)
        return refuse(sim, by->path, "it follows from others");
    by->value = sim->value[var];
    by->size = by->value != 0 ? fabs(by->value) : 1;
    by->step = cbrt(DBL_EPSILON) * by->size;
    return SOL_OK;
}

SolStatus sense_start(Sense *sense)
{
    SolStatus status = SOL_OK;
    if (!sense)
        return SOL_OK;
    for (uint32_t k = 0; k < sense->n && status == SOL_OK; k++)
        status = find_parameter(sense, &sense->by[k]);
    if (status == SOL_OK && sense->sim->decide.delays.n) {
        diag_error(sense->sim->diags, 0, "there are no sensitivities of a model with 'delay'");
        status = SOL_USAGE;
    }
    if (status != SOL_OK)
        return status;
    sense_grow(sense);
    sense_list_held(sense);
    sense->time = sense->event = sense->sim->time;
    status = sense_jump_start(sense);
    if (status == SOL_OK)
        sense_keep_past(sense);
    return status;
}

/* ---- on the way ---- */

/* States of the parts at a time, in Sim.value; the rest is what it was. */
static void bring_states(Sim *sim, double time)
{
    for (uint32_t i = 0; i < sim->parts.n; i++)
        if (sim->parts.at[i]->n)
            part_at(sim->parts.at[i], time);
}

SolStatus sense_reach(Sense *sense, double time)
{
    if (!sense || !(time > sense->time))
        return SOL_OK;
    Sim *sim = sense->sim;
    SolStatus status = sense_flow(sense, time);
    if (status != SOL_OK)
        return status;
    double now = sim->time;
    vec_reserve(sim->mem, &sense->present, sim->n_values);
    memcpy(sense->present.at, sim->value, sim->n_values * sizeof *sim->value);
    bring_states(sim, time);
    sense_keep_past(sense);
    parts_look_at(sim, now);
    memcpy(sim->value, sense->present.at, sim->n_values * sizeof *sim->value);
    return SOL_OK;
}

SolStatus sense_before(Sense *sense, double event)
{
    if (!sense)
        return SOL_OK;
    Sim *sim = sense->sim;
    double now = sim->time;
    vec_reserve(sim->mem, &sense->present, sim->n_values);
    memcpy(sense->present.at, sim->value, sim->n_values * sizeof *sim->value);
    parts_look_at(sim, sense->time);
    pack_free(&sense->before);
    sense->before = (Pack){.mem = sim->mem};
    SolStatus status = sense->host->peek(sim, &sense->before);
    parts_look_at(sim, now);
    memcpy(sim->value, sense->present.at, sim->n_values * sizeof *sim->value);
    if (status == SOL_OK)
        status = sense_reach(sense, event - sense_ahead(sense, event));
    return status == SOL_OK ? sense_reach(sense, event) : status;
}

void sense_due(Sense *sense)
{
    if (!sense)
        return;
    PartList due = parts_due(sense->sim);
    sense->quiet = due.n > 0;
    for (uint32_t i = 0; i < due.n; i++)
        sense->quiet &= due.at[i]->choice.wanted;
}

/* Other states, whose values and derivatives go on. */
static void take_shown(Sense *sense)
{
    const Sim *sim = sense->sim;
    for (uint32_t k = 0; k < sense->n; k++)
        for (uint32_t i = 0; i < sim->states.n; i++)
            sense->by[k].tangent[sim->states.at[i].var] = sense->by[k].shown[sim->states.at[i].var];
}

SolStatus sense_after(Sense *sense)
{
    if (!sense || sense_all_lost(sense))
        return SOL_OK;
    Sim *sim = sense->sim;
    SolStatus status = SOL_OK;
    sense_grow(sense);
    if (sense->quiet)
        take_shown(sense);
    else
        status = sense_jump(sense);
    sense->quiet = false;
    sense->time = sense->event = sim->time;
    sense_list_held(sense);
    sense_forget_past(sense);
    if (status == SOL_OK)
        sense_keep_past(sense);
    return status;
}

/* ---- points ---- */

SolStatus sense_point(Sense *sense)
{
    if (!sense)
        return SOL_OK;
    Sim *sim = sense->sim;
    sense_grow(sense);
    SolStatus status = sense_all_lost(sense) ? SOL_OK : evaluate_outputs(sim);
    if (status == SOL_OK && !sense_all_lost(sense))
        status = sense_factor_loops(sense);
    for (uint32_t k = 0; k < sense->n && status == SOL_OK; k++) {
        SenseBy *by = &sense->by[k];
        if (by->lost)
            continue;
        sense_sweep(sense, by->tangent);
        memcpy(by->shown, sim->tangent, sim->n_values * sizeof *by->shown);
        sense_clear(sense);
    }
    return status;
}

double sense_of(const Sense *sense, uint32_t parameter, DdpVar var)
{
    if (!sense || parameter >= sense->n || var >= sense->room || sense->by[parameter].lost ||
        !sense->sim->info[var].has)
        return NAN;
    return sense->by[parameter].shown[var];
}
