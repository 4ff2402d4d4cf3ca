/* take_changes.c: what the front end has made and removed -> what the runtime keeps of it: values before, start values, samples,
 * handles, lines of `cout`. */
#include "runtime/event/delay.h"
#include "runtime/event/implicit.h"
#include "runtime/event/reinit.h"
#include "runtime/event/trail.h"
#include "runtime/eval/trace.h"

#include <string.h>

static void drop_pre(Sim *sim, DdpVar var)
{
    for (uint32_t i = 0; i < sim->decide.pres.n; i++)
        if (sim->decide.pres.at[i].var == var) {
            sim->decide.pres.at[i] = sim->decide.pres.at[--sim->decide.pres.n];
            return;
        }
}

static void drop_var(Mem *mem, void *list, DdpVar var)
{
    VEC(DdpVar) *vars = list;
    (void)mem;
    for (uint32_t i = 0; i < vars->n; i++)
        if (vars->at[i] == var) {
            vars->at[i] = vars->at[--vars->n];
            return;
        }
}

static void drop_cout(Sim *sim, DdpVar var)
{
    for (uint32_t i = 0; i < sim->record.couts.n; i++)
        if (sim->record.couts.at[i].var == var) {
            memmove(sim->record.couts.at + i, sim->record.couts.at + i + 1,
                    (--sim->record.couts.n - i) * sizeof *sim->record.couts.at);
            return;
        }
}

/* What stands for the value before of what was just born. */
static double value_at_birth(const Sim *sim, DdpVar var)
{
    for (uint32_t i = sim->start.begins.n; i-- > 0;)
        if (sim->start.begins.at[i].var == var)
            return sim->start.begins.at[i].value;
    return 0;
}

static void take_pre(Sim *sim, const WorldChange *change)
{
    if (!change->born) {
        drop_pre(sim, change->a);
        return;
    }
    vec_push(sim->mem, &sim->decide.pres, ((PreMemo){change->a, change->b, change->c}));
    bool new =
        sim->info[change->b].birth > sim->update.births_before; /* there was no update before */
    if (!change->copied)
        values_set(sim, change->a,
                   new ? value_at_birth(sim, change->b) : before_value(sim, change->b));
}

/* A statement that an edit enters, or puts back, takes the place of another one: what was a state goes on from its value. */
static bool goes_on(const Sim *sim, DdpVar var)
{
    return sim->start.edited && trail_is_old(sim, var) && sim->info[var].state;
}

static void take_start(Sim *sim, const WorldChange *change)
{
    if (change->born && !change->copied && !goes_on(sim, change->c))
        vec_push(sim->mem, &sim->start.starts,
                 ((StartMemo){.rel = change->a,
                              .start = change->b,
                              .var = change->c,
                              .again = change->again,
                              .at = change->at}));
    if (change->born)
        return;
    implicit_drop_start(sim, change->a);
    for (uint32_t i = 0; i < sim->start.starts.n; i++)
        if (sim->start.starts.at[i].rel == change->a)
            sim->start.starts.at[i].var = 0;
}

static void take_handle(Sim *sim, const WorldChange *change)
{
    double handle = 0;
    trail_break(sim);
    if (!change->born)
        foreign_death(sim->foreign, change->a);
    else if (foreign_birth_of(sim->foreign, change, sim->value, &handle))
        values_set(sim, change->a, handle);
    else
        sim->start.role_failed = true;
}

static void take_monitored(Sim *sim, const WorldChange *change)
{
    char path[512] = "";
    trace_instance(sim, change);
    const EventNews *news = &sim->record.news;
    if (!news->monitor || change->b)
        return;
    if (change->born)
        world_inst_path(sim->world, change->a, path, sizeof path);
    news->monitor(news->context, sim->time, change->born, change->a, path);
}

static void take_change(Sim *sim, const WorldChange *change)
{
    switch ((WorldRole)change->role) {
    case WORLD_BRANCH:
        event_branch_changed(sim, change);
        break;
    case WORLD_START:
        take_start(sim, change);
        break;
    case WORLD_SAMPLE:
        sim->start.role_failed |= sample_take(sim, change) != SOL_OK;
        break;
    case WORLD_INITIAL:
        if (change->born)
            vec_push(sim->mem, &sim->decide.initials, change->a);
        else
            drop_var(sim->mem, &sim->decide.initials, change->a);
        break;
    case WORLD_PRE:
        take_pre(sim, change);
        break;
    case WORLD_BORN:
        if (change->born)
            vec_push(sim->mem, &sim->decide.borns, change->a);
        else
            drop_var(sim->mem, &sim->decide.borns, change->a);
        break;
    case WORLD_DELAY:
        delay_take(sim, change);
        break;
    case WORLD_RANDOM:
        break;
    case WORLD_COUT:
        if (change->born)
            vec_push(sim->mem, &sim->record.couts, ((CoutMemo){.var = change->a}));
        else
            drop_cout(sim, change->a);
        break;
    case WORLD_TERMINATE:
        sim->decide.terminated = change->a;
        trail_break(sim);
        break;
    case WORLD_REINIT:
        reinit_take(sim, change);
        break;
    case WORLD_HANDLE:
        take_handle(sim, change);
        break;
    case WORLD_MONITORED:
        take_monitored(sim, change);
        break;
    }
}

SolStatus structure_take_changes(Sim *sim)
{
    uint32_t n;
    const WorldChange *changes = world_changes(sim->world, &n);
    values_grow(sim);
    if (!foreign_check(sim->foreign))
        sim->start.role_failed = true;
    for (uint32_t i = 0; i < n && !sim->start.role_failed; i++)
        take_change(sim, &changes[i]);
    sim->start.edited &= n == 0;
    world_changes_clear(sim->world);
    return sim->start.role_failed ? SOL_MODEL : SOL_OK;
}
