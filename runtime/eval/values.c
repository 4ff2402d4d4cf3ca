/* values.c: variables of the front end and the DDP -> one vector of values.
 *
 * value[v] is the value of variable v; info[v].has tells whether it has one. States, held
 * variables, parameters and everything computed live side by side, so that a variable keeps its
 * value whatever the structure does with it: a state that is deselected, an integrator that
 * returns. The front end reads and writes here through the callbacks of WorldHost.
 */
#include "runtime/eval/trace.h"

#include <string.h>

/* Beyond, arrays grow by a 32nd: what is added is touched at once, and large arrays move by
 * remapping their pages. */
enum { LARGE = 1 << 14, SHARE = 32 };

/* Room for all variable numbers; new ones have no value. Tangents are zero between passes: where
 * nobody makes any, their pages stay untouched. */
void values_grow(Sim *sim)
{
    uint32_t need = ddp_var_limit(sim->ddp);
    if (need <= sim->n_values)
        return;
    uint32_t old = sim->n_values, share = old > LARGE ? SHARE : 1;
    uint32_t size = old ? old + old / share : 64;
    while (size < need)
        size += size / share;
    sim->value = mem_resize(sim->mem, sim->value, (size + VALUES_ROOM) * sizeof *sim->value);
    mem_free(sim->mem, sim->tangent);
    sim->tangent = NULL;
    sim->tangent = mem_alloc(sim->mem, (size + VALUES_ROOM) * sizeof *sim->tangent);
    sim->info = mem_resize(sim->mem, sim->info, size * sizeof *sim->info);
    memset(sim->value + old, 0, (size - old) * sizeof *sim->value);
    memset(sim->info + old, 0, (size - old) * sizeof *sim->info);
    if (sim->scale) {
        sim->scale = mem_resize(sim->mem, sim->scale, size * sizeof *sim->scale);
        memset(sim->scale + old, 0, (size - old) * sizeof *sim->scale);
    }
    sim->n_values = size;
}

double values_scale(const Sim *sim, DdpVar var)
{
    return sim->scale ? sim->scale[var] : 0;
}

void values_set_scale(Sim *sim, DdpVar var, double scale)
{
    if (!sim->scale && scale != 0)
        sim->scale = mem_alloc(sim->mem, sim->n_values * sizeof *sim->scale);
    if (sim->scale)
        sim->scale[var] = scale;
}

void values_set(Sim *sim, DdpVar var, double value)
{
    if (sim->info[var].part) /* or bringing it here later would undo this */
        part_meet(sim->info[var].part);
    bool same = sim->info[var].has && memcmp(&sim->value[var], &value, sizeof value) == 0;
    if (same && !sim->info[var].pending)
        return;
    evaluate_gather(sim, var);
    sim->value[var] = value;
    sim->info[var].has = true;
    sim->info[var].pending = false;
    sim->changes++;
    evaluate_touch(sim, var);
}

/* ---- what the front end asks ---- */

static bool host_read(void *context, DdpVar var, double *value)
{
    Sim *sim = context;
    values_grow(sim);
    evaluate_fetch(sim, var);
    *value = sim->shown ? update_value_before(sim, var) : sim->value[var];
    return sim->info[var].has;
}

static void host_write(void *context, DdpVar var, double value)
{
    Sim *sim = context;
    values_grow(sim);
    values_set(sim, var, value);
}

static void host_born(void *context, DdpVar var, DdpVarKind kind)
{
    Sim *sim = context;
    values_grow(sim);
    ValueInfo *info = &sim->info[var];
    info->has = kind != DDP_UNKNOWN;
    info->pending = info->guess = info->varied = false;
    info->left = 0;
    info->birth = ++sim->births;
    sim->value[var] = kind == DDP_TIME ? sim->time : 0;
    vec_push(sim->mem, &sim->births_seen, var);
}

static void host_died(void *context, DdpVar var)
{
    Sim *sim = context;
    vec_push(sim->mem, &sim->dying, var); /* what follows from it has its value until the commit */
    if (sim->info[var].announced)
        vec_push(sim->mem, &sim->deaths_seen, var);
    sim->info[var].announced = false;
    if (sim->info[var].wanted) {
        DdpVar last = vec_pop(&sim->wanted);
        if (last != var) {
            sim->wanted.at[sim->info[var].wanted - 1] = last;
            sim->info[last].wanted = sim->info[var].wanted;
        }
        sim->info[var].wanted = 0;
        glance_forget(sim);
    }
}

/* splitmix64 over the three parts of the key: independent of the order of evaluation */
static uint64_t mix(uint64_t x)
{
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

static double host_draw(void *context, uint64_t place, uint32_t ordinal)
{
    const Sim *sim = context;
    uint64_t bits = mix(mix(mix(sim->opt.seed) ^ place) ^ ordinal);
    return (double)(bits >> 11) / (double)((1ull << 53) - 1);
}

static double host_foreign(void *context, uint32_t function, uint32_t n, const double *args)
{
    return evaluate_foreign(context, function, n, args);
}

void values_open(Sim *sim)
{
    sim->update = 1; /* 0: in none */
    sim->host = (WorldHost){.context = sim,
                            .read = host_read,
                            .write = host_write,
                            .born = host_born,
                            .died = host_died,
                            .draw = host_draw,
                            .foreign = host_foreign};
}

void values_close(Sim *sim)
{
    mem_free(sim->mem, sim->value);
    mem_free(sim->mem, sim->tangent);
    mem_free(sim->mem, sim->info);
    mem_free(sim->mem, sim->scale);
    sim->scale = NULL;
    sim->value = sim->tangent = NULL;
    sim->info = NULL;
    sim->n_values = 0;
}

/* ---- commits ---- */

DdpResult values_commit(Sim *sim, DdpCommit kind)
{
    double begin = timer_now();
    sim->last = ddp_commit(sim->ddp, kind);
    sim->counts.ddp += timer_now() - begin;
    sim->event.visited += sim->last.visited;
    trace_commit(sim, kind);
    values_grow(sim);
    integer_note(sim);
    evaluate_apply(sim);
    for (uint32_t i = 0; i < sim->dying.n; i++)
        sim->info[sim->dying.at[i]].has = false;
    vec_clear(&sim->dying);
    return sim->last;
}
