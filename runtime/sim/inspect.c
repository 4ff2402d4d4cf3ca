/* inspect.c: a simulation -> variables, values, statistics, and what exists in it as text: the
 * public functions that look and do not move.
 */
#include "runtime/event/delay.h"
#include "runtime/solve/inline_plan.h"
#include "runtime/sim/sim.h"
#include "frontend/flat.h"
#include "frontend/graph.h"
#include "runtime/sim/audit.h"
#include "runtime/sim/stdlib_folder.h"
#include "runtime/eval/blocks.h"
#include "runtime/event/event_cause.h"

#include <math.h>
#include <string.h>

const char *sol_version(void)
{
    return SOLSTICE_VERSION;
}

size_t sol_stdlib(char *out, size_t size)
{
    char path[STDLIB_ROOM];
    const char *folder = stdlib_folder(path);
    if (size)
        snprintf(out, size, "%s", folder ? folder : "");
    return folder ? strlen(folder) : 0;
}

uint32_t sol_var_limit(const Sol *sol)
{
    return ddp_var_limit(sol->sim->ddp);
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
    return sol->sim->world && sim_var_info(sol->sim, var, info);
}

size_t sol_var_path(const Sol *sol, SolVar var, char *out, size_t size)
{
    char path[4096];
    world_var_path(sol->sim->world, var, path, sizeof path);
    if (size)
        snprintf(out, size, "%s", path);
    return strlen(path);
}

SolVar sol_find(const Sol *sol, const char *path)
{
    return sol->sim->world ? world_find(sol->sim->world, path) : 0;
}

/* Between two steps a part may stand elsewhere than the simulation. */
static SolStatus fetch(Sim *sim, DdpVar var)
{
    MemGuard guard;
    mem_guard_push(sim->mem, &guard);
    if (setjmp(guard.env) != 0)
        return sim_exhausted(sim);
    SolStatus status = evaluate_fetch(sim, var, EVAL_PLAIN);
    mem_guard_pop(sim->mem, &guard);
    return status;
}

SolStatus sol_read(Sol *sol, SolVar var, double *value)
{
    SolStatus status = sol_init(sol);
    *value = NAN;
    if (!sol->sim->world || !ddp_var_used(sol->sim->ddp, var))
        return SOL_USAGE;
    if (var < sol->sim->n_values && (status == SOL_OK || status == SOL_IO)) {
        status = fetch(sol->sim, var);
        if (status != SOL_OK && status != SOL_CANCELLED)
            return status; /* what it has is not of the present */
    }
    if (var >= sol->sim->n_values || !sol->sim->info[var].has)
        return status == SOL_CANCELLED ? SOL_OK : status;
    *value = sol->sim->value[var];
    return SOL_OK;
}

bool sim_has_value(const Sim *sim, DdpVar var, double value)
{
    WorldVar view = {0};
    world_var(sim->world, var, &view);
    switch (view.type) {
    case TYPE_INTEGER:
        return value == floor(value) && fabs(value) <= 0x1p53;
    case TYPE_BOOLEAN:
        return value == 0 || value == 1;
    case TYPE_STRING:
        return value == floor(value) && value >= 0 && value < program_names(sim->program)->texts.n;
    default:
        return isfinite(value);
    }
}

/* A state that is written jumps, as at an event. */
SolStatus sim_write(Sim *sim, DdpVar var, double value)
{
    DdpVarKind kind = ddp_var(sim->ddp, var).kind;
    bool held = kind != DDP_UNKNOWN && kind != DDP_TIME && !sim->info[var].node;
    if (!held && !sim->info[var].state) {
        diag_error(sim->diags, 0, "%s cannot be written: equations determine it",
                   explain_var(sim, var));
        return SOL_USAGE;
    }
    if (!sim_has_value(sim, var, value)) {
        diag_error(sim->diags, 0, "%s cannot be %g: its type has no such value",
                   explain_var(sim, var), value);
        return SOL_USAGE;
    }
    if (sim->opt.n_sensitivities) {
        diag_error(sim->diags, 0, "%s cannot be written: there are sensitivities, which end there",
                   explain_var(sim, var));
        return SOL_USAGE;
    }
    if (sim->opt.solver == SOL_SOLVER_EULER)
        grid_cut(sim);
    SolStatus status = delay_cut(sim);
    if (status == SOL_OK)
        status = sim_point_before(sim, sim->time);
    if (status != SOL_OK)
        return status;
    values_set(sim, var, value);
    cause_written(sim, var);
    return time_event(sim);
}

SolStatus sol_write(Sol *sol, SolVar var, double value)
{
    Sim *sim = sol->sim;
    SolStatus status = sol_init(sol);
    if (status != SOL_OK)
        return status;
    if (!ddp_var_used(sim->ddp, var))
        return SOL_USAGE;
    MemGuard guard;
    mem_guard_push(sim->mem, &guard);
    if (setjmp(guard.env) != 0)
        return sim_exhausted(sim);
    status = sim_write(sim, var, value);
    mem_guard_pop(sim->mem, &guard);
    if (status != SOL_USAGE)
        sim->run.status = status;
    return status;
}

const char *sol_text(const Sol *sol, double value)
{
    const Intern *names = program_names(sol->sim->program);
    if (!(value >= 0 && value < names->texts.n))
        return "";
    return intern_text(names, (Sym)value);
}

/* ---- what exists now ---- */

static bool value_now(const void *context, DdpVar var, double *value)
{
    const Sim *sim = context;
    bool has = var < sim->n_values && sim->info[var].has;
    *value = has ? sim->value[var] : NAN;
    return has;
}

static SolStatus fetch_all(Sim *sim)
{
    MemGuard guard;
    mem_guard_push(sim->mem, &guard);
    if (setjmp(guard.env) != 0)
        return sim_exhausted(sim);
    SolStatus status = evaluate_outputs(sim);
    mem_guard_pop(sim->mem, &guard);
    return status;
}

SolStatus sol_print_flat(Sol *sol, FILE *out)
{
    Sim *sim = sol->sim;
    SolStatus status = sol_init(sol);
    if (!sim->world || (status != SOL_OK && status != SOL_CANCELLED))
        return status;
    status = fetch_all(sim);
    if (status != SOL_OK)
        return status;
    if (!flat_print_values(sim->world, def_path(sim->program, sim->run.top), value_now, sim, out))
        return SOL_MEMORY;
    return fflush(out) == 0 ? SOL_OK : SOL_IO;
}

/* ---- the causality graph, coloured by what evaluates a block and for how long ---- */

typedef enum BlockClass { CLASS_HELD, CLASS_INTERPRETED, CLASS_QUICK, CLASS_OPTIMISED } BlockClass;
static const char *const class_text[] = {"held between events", "interpreted", "quick code",
                                         "optimised code"};
enum { AGES = 4 };
static const char *const age_text[AGES] = {"made in the last event", "1 or 2 events old",
                                           "3 to 9 events old", "10 events old or more"};

/* The hue is the class, fresh blocks are strong and old ones pale; in the language of dot. */
static void colour_of(BlockClass class, int age, char *colour, size_t size)
{
    static const double hue[] = {0, 0.09, 0.57, 0.33}, strength[AGES] = {0.65, 0.45, 0.28, 0.13};
    if (class == CLASS_HELD)
        snprintf(colour, size, "0 0 0.93");
    else
        snprintf(colour, size, "%g %g 1", hue[class], strength[age]);
}

static int age_of(const BlockNote *note)
{
    if (!note->counted)
        return AGES - 1;
    return note->age == 0 ? 0 : note->age <= 2 ? 1 : note->age <= 9 ? 2 : 3;
}

static void fill_block(void *context, DdpNode node, char *colour, char *line, size_t size)
{
    BlockNote note = block_note(context, node);
    BlockClass class = note.held                    ? CLASS_HELD
                       : note.tier == JIT_OPTIMISED ? CLASS_OPTIMISED
                       : note.tier == JIT_QUICK     ? CLASS_QUICK
                                                    : CLASS_INTERPRETED;
    colour_of(class, age_of(&note), colour, size);
    if (class == CLASS_HELD)
        return;
    int used = snprintf(line, size, "%s, block of %u", class_text[class], note.size);
    if (note.counted)
        snprintf(line + used, size - (size_t)used, ", age %llu", (unsigned long long)note.age);
}

static void write_legend(void *context, FILE *out)
{
    char colour[40];
    (void)context;
    fputs("  subgraph cluster_legend { label=\"blocks\"; fontname=\"sans-serif\"; color=gray70;\n"
          "    legend [shape=plain,label=<<table border=\"0\" cellborder=\"1\" cellspacing=\"0\">",
          out);
    for (int c = CLASS_INTERPRETED; c <= CLASS_OPTIMISED; c++) {
        fputs("<tr>", out);
        for (int age = 0; age < AGES; age++) {
            colour_of((BlockClass)c, age, colour, sizeof colour);
            fprintf(out, "<td bgcolor=\"%s\">%s,<br/>%s</td>", colour, class_text[c],
                    age_text[age]);
        }
        fputs("</tr>", out);
    }
    colour_of(CLASS_HELD, 0, colour, sizeof colour);
    fprintf(out, "<tr><td bgcolor=\"%s\">%s</td><td color=\"red\">residual</td>", colour,
            class_text[CLASS_HELD]);
    fputs("<td color=\"goldenrod\">differentiated</td><td bgcolor=\"palegreen\">state</td></tr>"
          "</table>>];\n  }\n",
          out);
}

SolStatus sol_print_graph(Sol *sol, FILE *out)
{
    Sim *sim = sol->sim;
    SolStatus status = sol_init(sol);
    if (!sim->world || (status != SOL_OK && status != SOL_CANCELLED))
        return status;
    if (sim->opt.solver == SOL_SOLVER_INLINE)
        inline_graph(sim, out);
    else if (sim->engine)
        graph_causality_filled(sim->world, &(GraphFill){sim, fill_block, write_legend}, out);
    else
        graph_causality(sim->world, out);
    return fflush(out) == 0 ? SOL_OK : SOL_IO;
}

bool sol_part(const Sol *sol, SolVar state, SolPart *part)
{
    const Sim *sim = sol->sim;
    const Part *of = state > 0 && state < sim->n_values ? sim->info[state].part : NULL;
    if (!of)
        return false;
    *part = (SolPart){
        .states = of->states.n, .steps = of->counts.steps, .restarts = of->counts.restarts};
    return true;
}

bool sol_audit(const Sol *sol, SolAudit *audit)
{
    if (sol->sim->output.audit)
        audit_stats(sol->sim->output.audit, audit);
    return sol->sim->output.audit != NULL;
}

void sol_stats(const Sol *sol, SolStats *stats)
{
    const Sim *sim = sol->sim;
    const SimCounts *counts = &sim->counts;
    *stats = (SolStats){.parse = sim->run.model->parse_seconds,
                        .instantiate = counts->instantiate,
                        .ddp = counts->ddp,
                        .lower = counts->lower,
                        .integrate = counts->integrate,
                        .events = counts->event,
                        .output = counts->output,
                        .total = timer_now() - sim->run.created_at + sim->run.model->parse_seconds,
                        .parts = counts->parts,
                        .parts_max = counts->parts_max,
                        .time_ida = counts->time[0],
                        .time_rk = counts->time[PART_RK - PART_IDA],
                        .method_changes = counts->method_changes,
                        .time_euler = counts->time[PART_EULER - PART_IDA],
                        .time_rodas = counts->time[PART_RODAS - PART_IDA],
                        .time_inline = counts->time[PART_INLINE - PART_IDA],
                        .time_dae = counts->time[PART_DAE - PART_IDA],
                        .dae_parts = counts->forms.parts,
                        .dae_equations = counts->forms.equations,
                        .dae_constraints = counts->forms.constraints,
                        .dae_nonzeros = counts->forms.nonzeros,
                        .ode_nonzeros = counts->nonzeros,
                        .steps = counts->steps,
                        .residuals = counts->residuals,
                        .jacobians = counts->jacobians,
                        .tangent_sweeps = counts->sweeps,
                        .newton_iterations = counts->newton,
                        .error_test_failures = counts->error_failures,
                        .events_count = counts->events,
                        .updates = counts->updates,
                        .warnings = sim->diags->warnings,
                        .restarts = counts->restarts,
                        .states = sim->states.n,
                        .states_max = counts->states_max,
                        .starts_unsaid = counts->starts_unsaid,
                        .memory_bytes = mem_used(sim->mem),
                        .memory_peak = mem_peak(sim->mem)};
    if (!sim->world)
        return;
    DdpTotals totals = ddp_totals(sim->ddp);
    stats->relations = totals.rels;
    stats->variables = totals.vars;
    stats->scratch_rebuilds = totals.scratch_rebuilds;
    stats->examined = world_examined(sim->world);
    stats->instances = world_totals(sim->world).instances;
    stats->blocks = totals.nodes;
    stats->shapes = interp_totals(sim->interp).codes;
    if (sim->engine)
        engine_stats(sim->engine, stats);
}
