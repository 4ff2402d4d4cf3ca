/* trace.c: what happens in a simulation -> lines of text. See trace.h. */
#include "runtime/eval/trace.h"

#include <stdarg.h>
#include <string.h>

bool trace_on(const Sim *sim, char letter)
{
    return sim->opt.trace && strchr(sim->opt.trace, letter);
}

void trace_line(const Sim *sim, char letter, double time, const char *format, ...)
{
    FILE *out = sim->opt.trace_to ? sim->opt.trace_to : stderr;
    va_list list;
    if (!trace_on(sim, letter))
        return;
    fprintf(out, "%c %-14.10g | ", letter, time);
    va_start(list, format);
    vfprintf(out, format, list);
    va_end(list);
    fputc('\n', out);
}

/* The path of what died is not known any more, its number is. */
void trace_instance(const Sim *sim, const WorldChange *change)
{
    WorldInst inst;
    if (!trace_on(sim, 'i'))
        return;
    if (!change->born || !world_inst(sim->world, change->a, &inst)) {
        trace_line(sim, 'i', sim->time, "%s instance %u", change->born ? "+" : "-", change->a);
        return;
    }
    char path[1024] = "";
    world_inst_path(sim->world, change->a, path, sizeof path);
    trace_line(sim, 'i', sim->time, "+ instance %u: %s%s%s%s", change->a, path, *path ? ": " : "",
               def_path(sim->program, inst.def), change->copied ? " (a copy)" : "");
}

void trace_commit(const Sim *sim, DdpCommit kind, const DdpResult *r)
{
    static const char *const verdicts[] = {[DDP_DETERMINED] = "determined",
                                           [DDP_UNDERDETERMINED] = "underdetermined",
                                           [DDP_OVERDETERMINED] = "overdetermined",
                                           [DDP_FALSE_CAUSALITY] = "false causality"};
    if (!trace_on(sim, 'd'))
        return;
    if (kind != DDP_FINAL && r->visited == 0 && r->changed == 0)
        return;
    trace_line(sim, 'd', sim->time,
               "%s: %s, %u nodes changed, %llu relations visited, %u states, %u loops%s",
               kind == DDP_FINAL ? "final" : "so far", verdicts[r->verdict], r->changed,
               (unsigned long long)r->visited, r->states, r->loops,
               r->scratch ? ", rebuilt from scratch" : "");
    if (r->free_vars || r->free_rels)
        trace_line(sim, 'd', sim->time, "%u variables not determined, %u relations not used",
                   r->free_vars, r->free_rels);
}

void trace_event_begin(const Sim *sim)
{
    trace_line(sim, 'e', sim->time, "event %llu", (unsigned long long)sim->counts.events + 1);
}

/* The held variables behind an update. Those that a lasting transmission determines may be older:
 * it is evaluated when somebody reads it. */
static void trace_held(const Sim *sim, uint32_t updates)
{
    WorldVar view;
    for (DdpVar var = 1; updates > 0 && trace_on(sim, 'u') && var < ddp_var_limit(sim->ddp);
         var++) {
        char path[1024] = "";
        if (!values_declared(sim, var, &view) || view.kind == WORLD_PARAMETER ||
            ddp_var(sim->ddp, var).kind != DDP_HELD)
            continue;
        world_var_path(sim->world, var, path, sizeof path);
        trace_line(sim, 'u', sim->time, "  behind update %u: %s = %.17g", updates - 1, path,
                   sim->value[var]);
    }
}

/* Whether some decision takes away the body `inst`. */
static bool goes_away(const Sim *sim, InstId inst, uint32_t n, const WorldDecision *decisions)
{
    WorldBranch view;
    for (uint32_t i = 0; i < n; i++)
        if (world_branch(sim->world, decisions[i].branch, &view) && view.body == inst &&
            view.choice != decisions[i].choice)
            return true;
    return false;
}

/* An event higher in the hierarchy rules: this decision is not carried out. */
static bool overruled(const Sim *sim, InstId owner, uint32_t n, const WorldDecision *decisions)
{
    WorldInst inst;
    for (; owner && world_inst(sim->world, owner, &inst); owner = inst.owner)
        if (inst.is_branch && goes_away(sim, owner, n, decisions))
            return true;
    return false;
}

/* Each decision of the update that begins: which `if` or `when` takes which branch. */
void trace_choices(const Sim *sim, uint32_t update, uint32_t n, const WorldDecision *decisions)
{
    trace_held(sim, update);
    for (uint32_t i = 0; trace_on(sim, 'e') && i < n; i++) {
        const WorldDecision *decision = &decisions[i];
        WorldBranch view;
        if (!world_branch(sim->world, decision->branch, &view))
            continue;
        if (view.when && decision->choice != WORLD_THEN)
            continue; /* its update is over, or it was just born: nothing to tell */
        if (view.watch || overruled(sim, view.owner, n, decisions))
            continue;
        char path[1024] = "", condition[1024];
        world_inst_path(sim->world, view.owner, path, sizeof path);
        explain_condition_text(sim, &view, condition, sizeof condition);
        Location at = source_locate(program_sources(sim->program), view.at);
        trace_line(sim, 'e', sim->time, "  update %u: %s%s%s %s%s (%s:%u)", update, path,
                   *path ? ": " : "", view.when ? "when" : "if", condition,
                   view.when                        ? ""
                   : decision->choice == WORLD_THEN ? " -> then"
                                                    : " -> else",
                   at.file ? at.file : "?", at.line);
    }
}

void trace_event_end(const Sim *sim, const SolEvent *e)
{
    trace_held(sim, e->updates);
    trace_line(sim, 'e', sim->time,
               "  %u updates, relations +%u -%u, %llu visited, states %u -> %u, loops %u -> %u%s",
               e->updates, e->entered, e->removed, (unsigned long long)e->visited, e->states_before,
               e->states_after, e->loops_before, e->loops_after,
               e->structural ? "" : ", structure unchanged");
    if (e->several)
        trace_line(sim, 'e', e->time, "  several combinations agree with their consequences");
    if (e->combinations)
        trace_line(sim, 'e', sim->time,
                   "  conditions took turns: %u combinations of branches tried", e->combinations);
}

void trace_restart(const Sim *sim, const SolEvent *e)
{
    trace_line(
        sim, 'e', e->time,
        "  structure %.0f us, restart %.0f us of %u parts, blocks %u kept %u rebuilt, %u new "
        "shapes",
        e->structure_us, e->restart_us, e->parts_restarted, e->blocks_kept, e->blocks_rebuilt,
        e->shapes_new);
}

void trace_step(const Sim *sim, const char *solver, uint32_t n, double from, double to)
{
    trace_line(sim, 's', to, "%s, %u unknowns: step of %.6g", solver, n, to - from);
}
