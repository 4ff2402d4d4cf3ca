/* world_host.c: what the front end asks while it makes and removes instances -> values, births and deaths of variables. */
#include "runtime/event/trail.h"

static bool host_read(void *context, DdpVar var, double *value)
{
    Sim *sim = context;
    values_grow(sim);
    if (!sim->record.news.shown)
        evaluate_fetch(sim, var, EVAL_EVENT);
    *value = sim->record.news.shown ? before_value(sim, var) : sim->value[var];
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
    trail_change(sim);
    ValueInfo *info = &sim->info[var];
    info->has = kind != DDP_UNKNOWN;
    info->pending = info->guess = info->varied = info->exchanged = info->bound = false;
    info->left = 0;
    info->birth = ++sim->build.births;
    sim->value[var] = kind == DDP_TIME ? sim->time : 0;
    vec_push(sim->mem, &sim->record.news.births, var);
}

static void host_begin(void *context, DdpVar var, DdpVarKind kind, double value)
{
    Sim *sim = context;
    if (kind == DDP_HELD)
        values_set(sim, var, value);
    else
        sim->value[var] = value;
    vec_push(sim->mem, &sim->start.begins, ((OldValue){var, value}));
}

static void host_died(void *context, DdpVar var)
{
    Sim *sim = context;
    trail_died(sim, var);
    vec_push(sim->mem, &sim->build.dying,
             var); /* what follows from it has its value until the commit */
    if (sim->info[var].announced)
        vec_push(sim->mem, &sim->record.news.deaths, var);
    sim->info[var].announced = false;
    output_plan_unwant(sim, var);
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
    Sim *sim = context;
    trail_break(sim); /* the next one born there draws another number */
    uint64_t bits = mix(mix(mix(sim->opt.seed) ^ place) ^ ordinal);
    return (double)(bits >> 11) / (double)((1ull << 53) - 1);
}

static double host_foreign(void *context, uint32_t function, uint32_t n, const double *args)
{
    return evaluate_foreign(context, function, n, args);
}

void world_host_open(Sim *sim)
{
    sim->update.number = evaluate_next_update(sim); /* 0: in none */
    sim->start.host = (WorldHost){.context = sim,
                                  .read = host_read,
                                  .write = host_write,
                                  .born = host_born,
                                  .died = host_died,
                                  .begin = host_begin,
                                  .draw = host_draw,
                                  .foreign = host_foreign};
}
