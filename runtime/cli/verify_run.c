/* verify_run.c: a model and options -> its values at the points of a grid, in memory. */
#include "runtime/cli/verify.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct Collector {
    Mem *mem;
    VerifyRun *run;
    double start, interval;
    VEC(uint32_t) column; /* [SolVar]: index + 1, 0: none */
} Collector;

static uint64_t hash_value(uint64_t hash, double value)
{
    return hash_bytes(&value, sizeof value, hash);
}

/* ---- births ---- */

static uint64_t key_of(const char *path)
{
    return hash_bytes(path, strlen(path), 7);
}

const VerifyColumn *verify_column(const VerifyRun *run, const char *path)
{
    uint32_t number = map_get(&run->column_of, key_of(path));
    return number ? &run->columns.at[number - 1] : NULL;
}

static char *copy_text(Mem *mem, const char *text)
{
    size_t n = strlen(text) + 1;
    return memcpy(mem_alloc(mem, n), text, n);
}

static uint32_t new_column(Collector *c, const char *path, SolType type)
{
    VerifyRun *run = c->run;
    VerifyColumn column = {copy_text(c->mem, path), type,
                           mem_alloc(c->mem, run->n_points * sizeof(double))};
    for (uint32_t i = 0; i < run->n_points; i++)
        column.value[i] = NAN;
    vec_push(c->mem, &run->columns, column);
    map_put(c->mem, &run->column_of, key_of(path), run->columns.n);
    return run->columns.n;
}

static bool is_alive(const Collector *c, uint32_t number)
{
    for (uint32_t i = 0; i < c->column.n; i++)
        if (c->column.at[i] == number)
            return true;
    return false;
}

static bool birth(void *context, const SolVarInfo *info, const char *path)
{
    Collector *c = context;
    char name[4096];
    uint32_t number = map_get(&c->run->column_of, key_of(path));
    for (int again = 2; number && !info->in_branch && is_alive(c, number); again++) {
        snprintf(name, sizeof name, "%.4000s#%d", path, again);
        number = map_get(&c->run->column_of, key_of(name));
        path = name;
    }
    while (c->column.n <= info->var)
        vec_push(c->mem, &c->column, 0u);
    c->column.at[info->var] = number ? number : new_column(c, path, info->type);
    return true;
}

static void death(void *context, SolVar var)
{
    Collector *c = context;
    if (var < c->column.n)
        c->column.at[var] = 0;
}

/* ---- points and events ---- */

static bool point(void *context, const SolPoint *p)
{
    Collector *c = context;
    VerifyRun *run = c->run;
    double at = (p->time - c->start) / c->interval, whole = round(at);
    bool grid = fabs(at - whole) < 1e-6 && whole >= 0 && whole < run->n_points;
    bool kept =
        grid && (p->side == SOL_AT_START || p->side == SOL_AT_POINT || p->side == SOL_AT_END);
    run->hash = hash_value(run->hash, p->time);
    for (SolVar var = 1; var < c->column.n && var < p->limit; var++) {
        if (!c->column.at[var] || sol_unseen(p->values[var]))
            continue;
        run->hash = hash_value(run->hash, p->values[var]);
        if (kept)
            run->columns.at[c->column.at[var] - 1].value[(uint32_t)whole] = p->values[var];
    }
    return true;
}

static uint64_t event_key(const char *trigger, uint32_t ordinal)
{
    return hash_bytes(&ordinal, sizeof ordinal, key_of(trigger));
}

const VerifyEvent *verify_twin(const VerifyRun *run, const VerifyEvent *event)
{
    uint32_t number = map_get(&run->event_of, event_key(event->trigger, event->ordinal));
    return number ? &run->events.at[number - 1] : NULL;
}

static void fired(Collector *c, double time, const char *trigger)
{
    VerifyRun *run = c->run;
    uint32_t last = map_get(&run->fired, key_of(trigger));
    const VerifyEvent *before = last ? &run->events.at[last - 1] : NULL;
    if (before && fabs(time - before->time) <= 1e-9 * c->interval)
        return; /* the same but for rounding */
    VerifyEvent e = {time, before ? before->trigger : copy_text(c->mem, trigger),
                     before ? before->ordinal + 1 : 1};
    vec_push(c->mem, &run->events, e);
    map_put(c->mem, &run->fired, key_of(trigger), run->events.n);
    map_put(c->mem, &run->event_of, event_key(trigger, e.ordinal), run->events.n);
}

/* States that are chosen anew are no event of the model. */
static void event(void *context, const SolEvent *e)
{
    Collector *c = context;
    vec_push(c->mem, &c->run->jumped, e->time);
    if (!e->by_condition)
        return;
    c->run->n_events++;
    for (uint32_t i = 0; i < e->n_triggers; i++)
        fired(c, e->time, e->triggers[i]);
}

static void silent(void *context, double time, const char *text)
{
    (void)context, (void)time, (void)text;
}

/* ---- a run ---- */

void verify_run(Mem *mem, SolModel *model, const char *designator, const SolOptions *options,
                VerifyRun *run)
{
    uint32_t printed = sol_message_count(model);
    Collector c = {.mem = mem, .run = run, .start = options->start, .interval = options->interval};
    run->n_points =
        (uint32_t)floor((options->stop - options->start) / options->interval + 1e-6) + 1;
    Sol *sim = sol_create(model, designator, options);
    if (!sim) {
        run->status = sol_model_status(model);
        sol_print_messages(model, printed, stderr, cli_colour());
        return;
    }
    SolOutput output = {
        .context = &c, .birth = birth, .death = death, .point = point, .cout = silent};
    sol_set_output(sim, &output);
    sol_set_event(sim, event, &c);
    run->status = sol_run_to(sim, options->stop);
    run->reached = sol_time(sim);
    SolStats stats;
    sol_stats(sim, &stats);
    run->steps = stats.steps;
    sol_audit(sim, &run->audit);
    run->audit.relation = copy_text(mem, run->audit.relation ? run->audit.relation : "");
    sol_print_messages(model, printed, stderr, cli_colour());
    sol_close(sim);
    vec_free(mem, &c.column);
}
