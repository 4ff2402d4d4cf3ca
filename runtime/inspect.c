/* inspect.c: the public functions that look at a simulation: variables, values, statistics.
 */
#include "runtime/blocks.h"

#include <math.h>
#include <string.h>

uint32_t sol_var_limit(const Sol *sol)
{
    return ddp_var_limit(sol->sim.ddp);
}

SolVar sol_next_var(const Sol *sol, SolVar after)
{
    SolVarInfo info;
    for (SolVar var = after + 1; var < sol_var_limit(sol); var++)
        if (sol_var_info(sol, var, &info))
            return var;
    return 0;
}

bool sol_var_info(const Sol *sol, SolVar var, SolVarInfo *info)
{
    return sol->sim.world && sim_var_info(&sol->sim, var, info);
}

size_t sol_var_path(const Sol *sol, SolVar var, char *out, size_t size)
{
    char path[4096];
    world_var_path(sol->sim.world, var, path, sizeof path);
    if (size)
        snprintf(out, size, "%s", path);
    return strlen(path);
}

SolVar sol_find(const Sol *sol, const char *path)
{
    return sol->sim.world ? world_find(sol->sim.world, path) : 0;
}

SolStatus sol_read(Sol *sol, SolVar var, double *value)
{
    SolStatus status = sol_init(sol);
    *value = NAN;
    if (!sol->sim.world || !ddp_var_used(sol->sim.ddp, var))
        return SOL_USAGE;
    if (var < sol->sim.n_values && sol->sim.info[var].has)
        *value = sol->sim.value[var];
    return status == SOL_OK || status == SOL_CANCELLED ? SOL_OK : status;
}

/* A state that is written jumps, as at an event. */
static SolStatus write_value(Sim *sim, DdpVar var, double value)
{
    DdpVarKind kind = ddp_var(sim->ddp, var).kind;
    bool held = kind != DDP_UNKNOWN && kind != DDP_TIME && !sim->info[var].node;
    if (!held && !sim->info[var].state) {
        diag_error(sim->diags, 0, "%s cannot be written: equations determine it",
                   explain_var(sim, var));
        return SOL_USAGE;
    }
    values_set(sim, var, value);
    return sim->opt.solver == SOL_SOLVER_EULER ? sim_event(sim) : parts_event(sim);
}

SolStatus sol_write(Sol *sol, SolVar var, double value)
{
    Sim *sim = &sol->sim;
    SolStatus status = sol_init(sol);
    if (status != SOL_OK)
        return status;
    if (!ddp_var_used(sim->ddp, var))
        return SOL_USAGE;
    MemGuard guard;
    mem_guard_push(sim->mem, &guard);
    if (setjmp(guard.env) != 0)
        return sim->status = SOL_MEMORY;
    status = write_value(sim, var, value);
    mem_guard_pop(sim->mem, &guard);
    if (status != SOL_USAGE)
        sim->status = status;
    return status;
}

const char *sol_text(const Sol *sol, double value)
{
    const Intern *names = program_names(sol->sim.program);
    if (!(value >= 0 && value < names->texts.n))
        return "";
    return intern_text(names, (Sym)value);
}

void sol_stats(const Sol *sol, SolStats *stats)
{
    const Sim *sim = &sol->sim;
    const SimCounts *counts = &sim->counts;
    *stats = (SolStats){.parse = sim->model->parse_seconds,
                        .instantiate = counts->instantiate,
                        .ddp = counts->ddp,
                        .lower = counts->lower,
                        .integrate = counts->integrate,
                        .events = counts->event,
                        .output = counts->output,
                        .total = timer_now() - sim->created_at + sim->model->parse_seconds,
                        .parts = counts->parts,
                        .parts_max = counts->parts_max,
                        .time_ida = counts->time_ida,
                        .time_rk = counts->time_rk,
                        .time_euler = counts->time_euler,
                        .steps = counts->steps,
                        .residuals = counts->residuals,
                        .jacobians = counts->jacobians,
                        .newton_iterations = counts->newton,
                        .error_test_failures = counts->error_failures,
                        .events_count = counts->events,
                        .updates = counts->updates,
                        .warnings = sim->diags->warnings,
                        .restarts = counts->restarts,
                        .states = sim->states.n,
                        .states_max = counts->states_max,
                        .memory_bytes = mem_used(sim->mem),
                        .memory_peak = mem_peak(sim->mem)};
    if (!sim->world)
        return;
    DdpTotals totals = ddp_totals(sim->ddp);
    stats->relations = totals.rels;
    stats->variables = totals.vars;
    stats->scratch_rebuilds = totals.scratch_rebuilds;
    stats->instances = world_totals(sim->world).instances;
    stats->blocks = totals.nodes;
    stats->shapes = interp_totals(sim->interp).codes;
    if (sim->engine)
        engine_stats(sim->engine, stats);
}
