/* start_solve.c: start values of variables that are no states -> values of states that have none.
 *
 * The modeller gives start values to what he thinks of (the angle of a joint); the DDP chooses the
 * states (perhaps the position of a body that hangs on it). As many start values as there are
 * states without one can be met: derState first, then in order of declaration, each if it is
 * independent of those before. They are equations for the states, solved by damped Newton; the
 * derivatives come from tangents through the whole schedule. Start values that are left over are
 * first guesses, and a difference is a warning.
 *
 * Equations under `if initial()` that are too many (frontend/initial_aside.c) are conditions: they come first, all of them must
 * hold (start_attempts.c), and start values count for the states that they leave free. They determine parameters with
 * `fixed << false` too.
 *
 * A state that was given its start value may be none any more when the branches of the start are
 * chosen (two coils that an open switch leaves in series): then all start values are looked at
 * anew.
 */
#include "runtime/eval/rounding.h"
#include "runtime/eval/trace.h"
#include "runtime/event/start_plan.h"

#include <math.h>
#include <string.h>

/* ---- who takes part ---- */

static double off_start(const Sim *sim, const StartMemo *start)
{
    return sim->value[start->var] - sim->value[start->start];
}

static bool is_known(const Sim *sim, const StartMemo *start)
{
    return start->var && sim->info[start->var].has && !sim->info[start->var].pending &&
           sim->info[start->start].has;
}

/* Its variable is no state, perhaps no longer, and it does not hold. */
static bool is_lost(const Sim *sim, const StartMemo *start)
{
    return is_known(sim, start) && !sim->info[start->var].state &&
           fabs(off_start(sim, start)) >
               1e-9 * (world_var_nominal(sim->world, start->var) + fabs(sim->value[start->start]));
}

static bool any_lost(const Sim *sim)
{
    for (uint32_t i = 0; i < sim->start.starts.n; i++)
        if (is_lost(sim, &sim->start.starts.at[i]))
            return true;
    return false;
}

/* With `fixed << false` it is a first guess where there are conditions. */
static bool is_guess(const Starts *s, const StartMemo *start)
{
    WorldVar view = {0};
    return start_is_conditioned(s) && world_var(s->sim->world, start->var, &view) && view.member &&
           view.member->fixed == FIXED_FALSE;
}

static bool wanted(const Starts *s, const StartMemo *start, bool preferred)
{
    const Sim *sim = s->sim;
    bool known = s->early
                     ? start->var && sim->info[start->start].has && !sim->info[start->start].pending
                     : is_known(sim, start);
    return known && (s->anew || (!start->given && !sim->info[start->var].state)) &&
           !is_guess(s, start) &&
           (bool)(ddp_rel(sim->ddp, start->rel).flags & (DDP_PREFER_STATE | DDP_ALWAYS_STATE)) ==
               preferred;
}

static bool is_column(const Starts *s, DdpVar var)
{
    for (uint32_t c = 0; c < s->n_columns; c++)
        if (s->column[c] == var)
            return true;
    return false;
}

/* States that were computed by equations that are set aside since. */
static void add_recombined(Starts *s)
{
    const Sim *sim = s->sim;
    for (uint32_t i = 0; i < ddp_state_count(sim->ddp); i++) {
        DdpVar var = ddp_state(sim->ddp, i).var;
        bool given = is_column(s, var);
        for (uint32_t k = 0; k < sim->start.starts.n; k++)
            given |= sim->start.starts.at[k].var == var && sim->start.starts.at[k].given;
        if (!given)
            s->column[s->n_columns++] = var;
    }
}

/* Equations under `if initial()` that were set aside. */
static DdpRel next_condition(const Sim *sim, uint32_t *cursor, DdpVar *rest)
{
    for (DdpRel rel; (rel = ddp_next_aside(sim->ddp, cursor, rest));)
        if (*rest && world_rel_initial(sim->world, rel))
            return rel;
    return 0;
}

static uint32_t count_conditions(const Sim *sim)
{
    uint32_t n = 0, cursor = 0;
    DdpVar rest;
    while (next_condition(sim, &cursor, &rest))
        n++;
    return n;
}

double start_off(const Starts *s, uint32_t r)
{
    const StartRow *row = &s->row[r];
    if (row->start)
        return off_start(s->sim, row->start);
    /* an output: nobody else asks for it */
    bool fine = evaluate_fetch(s->sim, row->var, EVAL_EVENT | EVAL_TRIAL) == SOL_OK;
    return fine && isfinite(s->sim->value[row->var]) ? s->sim->value[row->var] : NAN;
}

static void add_params(Starts *s)
{
    const DdpVar *params;
    s->n_params = world_free_params(s->sim->world, &params);
    for (uint32_t i = 0; i < s->n_params; i++)
        s->column[s->n_columns++] = params[i];
}

/* States that have no value yet, and wait for none. */
static void add_lacking(Starts *s)
{
    const Sim *sim = s->sim;
    for (uint32_t i = 0; i < sim->start.lacking.n; i++) {
        DdpVar var = sim->start.lacking.at[i];
        bool waits = !sim->info[var].state || sim->info[var].has || is_column(s, var);
        for (uint32_t k = 0; k < sim->start.starts.n; k++)
            waits |= sim->start.starts.at[k].var == var && !sim->start.starts.at[k].given;
        if (!waits)
            s->column[s->n_columns++] = var;
    }
}

static void collect_columns(Starts *s)
{
    Sim *sim = s->sim;
    for (uint32_t i = 0; i < sim->start.zeroed.n; i++)
        if (sim->info[sim->start.zeroed.at[i]].state)
            s->column[s->n_columns++] = sim->start.zeroed.at[i];
    for (uint32_t i = 0; i < sim->start.starts.n && s->anew; i++)
        if (sim->start.starts.at[i].var && sim->start.starts.at[i].given &&
            sim->info[sim->start.starts.at[i].var].state)
            s->column[s->n_columns++] = sim->start.starts.at[i].var;
    if (sim->start.recombined)
        add_recombined(s);
    if (s->early)
        add_lacking(s);
}

static void collect(Starts *s, Arena *arena)
{
    Sim *sim = s->sim;
    s->row = arena_alloc(arena, (sim->start.starts.n + count_conditions(sim) + 1) * sizeof *s->row);
    s->column =
        arena_alloc(arena, (sim->start.zeroed.n + sim->start.starts.n + ddp_state_count(sim->ddp) +
                            sim->start.lacking.n + s->n_params + 1) *
                               sizeof *s->column);
    uint32_t cursor = 0;
    DdpVar rest;
    for (DdpRel rel; (rel = next_condition(sim, &cursor, &rest));)
        s->row[s->n_rows++] = (StartRow){.var = rest, .rel = rel};
    s->n_conditions = s->n_rows;
    for (int preferred = 1; preferred >= 0; preferred--)
        for (uint32_t i = 0; i < sim->start.starts.n; i++)
            if (wanted(s, &sim->start.starts.at[i], preferred))
                s->row[s->n_rows++] = (StartRow){.var = sim->start.starts.at[i].var,
                                                 .start = &sim->start.starts.at[i]};
    collect_columns(s);
    add_params(s);
    if (s->n_rows || s->n_params)
        start_make_room(s, arena);
}

/* ---- derivatives ---- */

static void sweep_node(Sim *sim, DdpNode n, bool all)
{
    const EvalNode *node = &sim->nodes.at[n];
    if (node->determined && (node->varies || (all && node->live)) &&
        !(node->loop && !node->factored))
        evaluate_tangent_node(sim, n);
}

static void sweep_states(const Starts *s)
{
    for (uint32_t i = 0; i < s->pattern.n_nodes; i++)
        sweep_node(s->sim, s->pattern.node[i], false);
}

/* What hangs on parameters alone does not vary between events. */
static void sweep_param(const Starts *s)
{
    Sim *sim = s->sim;
    world_free_tangents(sim->world, sim->tangent);
    for (DdpNode n = ddp_first(sim->ddp); n; n = ddp_next(sim->ddp, n))
        sweep_node(sim, n, true);
}

static void clear_states(const Starts *s)
{
    for (uint32_t i = 0; i < s->pattern.n_nodes; i++)
        evaluate_clear_tangents(s->sim, s->pattern.node[i]);
}

static void clear_param(const Starts *s)
{
    Sim *sim = s->sim;
    world_free_clear_tangents(sim->world, sim->tangent);
    for (DdpNode n = ddp_first(sim->ddp); n; n = ddp_next(sim->ddp, n))
        evaluate_clear_tangents(sim, n);
}

static void read_tangents(Starts *s, uint32_t r, uint32_t colour)
{
    const Sim *sim = s->sim;
    const StartColumns *columns = &s->pattern.row[r];
    double off = sim->tangent[s->row[r].var] -
                 (s->row[r].start && s->n_params ? sim->tangent[s->row[r].start->start] : 0);
    for (uint32_t k = 0; k < columns->n; k++)
        if (s->pattern.colour[columns->at[k]] == colour)
            s->matrix[(size_t)r * s->n_columns + columns->at[k]] = off;
}

/* All columns of a colour at once: of these, a row depends on one at most. */
static void fill_colour(Starts *s, uint32_t colour)
{
    Sim *sim = s->sim;
    bool param = colour >= s->pattern.n_colours - s->n_params;
    for (uint32_t c = 0; c < s->n_columns; c++)
        if (s->pattern.colour[c] == colour)
            sim->tangent[s->column[c]] = 1;
    if (param)
        sweep_param(s);
    else
        sweep_states(s);
    for (uint32_t r = 0; r < s->n_rows; r++)
        read_tangents(s, r, colour);
    for (uint32_t c = 0; c < s->n_columns; c++)
        if (s->pattern.colour[c] == colour)
            sim->tangent[s->column[c]] = 0;
    if (param)
        clear_param(s);
    else
        clear_states(s);
}

void start_fill(Starts *s)
{
    start_make_matrix(s);
    for (uint32_t colour = 0; colour < s->pattern.n_colours; colour++)
        fill_colour(s, colour);
}

static const double STARTS_DIFFER = 1e-8;
static const double ROUNDINGS = 64; /* of a condition that holds */

void start_choose(Starts *s)
{
    start_fill(s);
    start_eliminate(s, STARTS_DIFFER, STARTS_DIFFER);
}

void start_choose_met(Starts *s)
{
    static const double ROUNDING = 1e-12; /* x^3 = 1e-13 determines x */
    start_fill(s);
    start_eliminate(s, ROUNDING, STARTS_DIFFER);
}

/* ---- Newton ---- */

double start_distance(const Starts *s)
{
    double most = 0;
    for (uint32_t k = 0; k < s->n; k++) {
        double off = fabs(start_off(s, s->chosen_row[k])) / s->unit[s->chosen_row[k]];
        most = isnan(off) && start_is_conditioned(s) ? INFINITY : fmax(most, off);
    }
    return most;
}

void start_set(Starts *s, uint32_t column, double value)
{
    if (start_is_conditioned(s))
        value = fmin(fmax(value, s->least[column]), s->most[column]);
    values_set(s->sim, s->column[column], value);
}

bool start_evaluate(Starts *s)
{
    if (s->n_params)
        world_free_follow(s->sim->world);
    return evaluate_dirty(s->sim, EVAL_EVENT | EVAL_TRIAL) == SOL_OK;
}

static bool move(Starts *s, double part)
{
    for (uint32_t k = 0; k < s->n; k++)
        start_set(s, s->chosen_column[k], s->old[k] - part * s->step[k]);
    return start_evaluate(s);
}

bool start_newton_step(Starts *s)
{
    double before = start_distance(s);
    start_fill(s);
    for (uint32_t i = 0; i < s->n; i++) {
        s->step[i] = start_off(s, s->chosen_row[i]);
        s->old[i] = s->sim->value[s->column[s->chosen_column[i]]];
    }
    if (!start_factor(s))
        return false;
    start_solve_linear(s, s->step);
    double least = start_is_conditioned(s) ? 1e-6 : 1e-4;
    for (double part = 1; part > least; part /= 2)
        if (move(s, part) && start_distance(s) < before)
            return true;
    move(s, 0);
    return false;
}

/* ---- the whole ---- */

/* A start value that is no number would end as a failure of the integrator, which could say nothing
 * about where it came from. */
static SolStatus check_starts(Sim *sim)
{
    for (uint32_t i = 0; i < sim->start.starts.n; i++) {
        const StartMemo *start = &sim->start.starts.at[i];
        if (!start->given || isfinite(sim->value[start->start]))
            continue;
        diag_error(sim->diags, start->at, "at time %.10g the start value of %s is %s", sim->time,
                   explain_var(sim, start->var),
                   isnan(sim->value[start->start]) ? "no number" : "infinite");
        return SOL_NUMERICS;
    }
    return SOL_OK;
}

/* What the sides of a condition consist of. */
static double size_of_condition(const Starts *s, uint32_t r)
{
    Sim *sim = s->sim;
    DdpCombination entered = {0};
    ddp_combination(sim->ddp, s->row[r].rel, &entered);
    const FormInfo *form = form_info(sim->forms, entered.form);
    X difference = x_binary(sim->forms, X_SUB, form->lhs, form->rhs);
    return rounding_size(sim, difference, entered.vars);
}

void start_find_units(Starts *s)
{
    for (uint32_t r = 0; r < s->n_conditions; r++) {
        double size = size_of_condition(s, r);
        s->unit[r] = size > 0 ? fmin(size, 1) : 1;
    }
}

double start_violation(const Starts *s, uint32_t r)
{
    double off = fabs(start_off(s, r)), size = size_of_condition(s, r), unit = s->unit[r];
    if (isnan(off))
        return INFINITY;
    if (!isfinite(size))
        return off;
    if (off > START_MET * fmax(unit, size)) {
        double rounding = error_bound_of_var(s->sim, s->row[r].var).rounding;
        unit = fmax(unit, isfinite(rounding) ? ROUNDINGS / START_MET * rounding : 0);
    }
    return off / fmax(unit, size);
}

bool start_is_chosen(const Starts *s, uint32_t r)
{
    if (s->n == s->n_rows)
        return true;
    for (uint32_t k = 0; k < s->n; k++)
        if (s->chosen_row[k] == r)
            return true;
    return false;
}

bool start_met(const Starts *s, uint32_t *worst, double *most)
{
    *most = 0;
    *worst = 0;
    for (uint32_t r = 0; r < s->n_conditions; r++) {
        double size = start_violation(s, r);
        if (size > *most) {
            *most = size;
            *worst = r;
        }
    }
    return *most <= START_MET;
}

static bool is_open(const Starts *s, uint32_t column)
{
    for (uint32_t k = 0; k < s->n; k++)
        if (s->chosen_column[k] == column)
            return false;
    return true;
}

/* All conditions hold and all parameters are determined, or the run ends. */
static SolStatus check_conditions(Starts *s)
{
    uint32_t worst;
    double most;
    if (!start_met(s, &worst, &most))
        return start_refuse(s, worst);
    for (uint32_t c = s->n_columns - s->n_params; c < s->n_columns; c++)
        if (is_open(s, c))
            return start_refuse_param(s, c);
    return world_free_done(s->sim->world) ? SOL_OK : SOL_MODEL;
}

static void meet(Starts *s, Arena *arena)
{
    if (!s->n_columns || (!s->n_rows && !s->n_params))
        return;
    if (start_is_conditioned(s)) {
        start_attempt(s, arena);
        return;
    }
    start_choose(s);
    for (int round = 0; round < 40 && s->n && start_distance(s) > 1e-13; round++)
        if (!start_newton_step(s))
            break;
}

static void warn_left_over(const Starts *s)
{
    if (parts_running(s->sim) || world_has_implicit(s->sim->world)) /* those wait (implicit.c) */
        return;
    for (uint32_t r = 0; r < s->n_rows; r++)
        if (s->row[r].start && !start_is_conditions(s, r))
            start_warn_left_over(s->sim, s->row[r].start);
}

SolStatus start_solve(Sim *sim)
{
    Starts s = {.sim = sim, .n_conditions = count_conditions(sim)};
    const DdpVar *params;
    s.n_params = world_free_params(sim->world, &params);
    if (!sim->start.starts.n && !start_is_conditioned(&s) && !sim->start.zeroed.n)
        return SOL_OK;
    SolStatus status = check_starts(sim);
    if (status != SOL_OK)
        return status;
    Arena arena;
    arena_init(&arena, sim->mem);
    s.anew = start_is_conditioned(&s) || any_lost(sim);
    collect(&s, &arena);
    meet(&s, &arena);
    status = evaluate_dirty(sim, EVAL_EVENT);
    if (status == SOL_OK)
        status = check_conditions(&s);
    if (status == SOL_OK) {
        warn_left_over(&s);
        start_note_free(&s);
    }
    start_close(&s);
    arena_free(&arena);
    return status;
}

/* ---- where evaluation failed ---- */

static void take_early(Starts *s, const StartPlan *plan)
{
    Sim *sim = s->sim;
    for (uint32_t c = 0; c < s->n_columns; c++) {
        DdpVar var = s->column[c];
        if (sim->info[var].state && !sim->info[var].has)
            vec_push(sim->mem, &sim->start.zeroed, var);
        start_set(s, c, plan->value[map_get(&plan->place_of, var)]);
    }
    start_plan_guess(plan, false);
    if (s->n_params)
        world_free_follow(sim->world);
}

bool start_solve_early(Sim *sim)
{
    Starts s = {.sim = sim, .n_conditions = count_conditions(sim), .anew = true, .early = true};
    const DdpVar *params;
    s.n_params = world_free_params(sim->world, &params);
    if (!s.n_conditions)
        return false;
    Arena arena;
    arena_init(&arena, sim->mem);
    collect(&s, &arena);
    StartPlan *plan = s.n_columns ? start_plan_open(&s) : NULL;
    if (plan)
        plan->thorough = true;
    bool solved = plan && start_plan_solve(plan, true);
    if (solved)
        take_early(&s, plan);
    if (plan)
        trace_line(sim, 'i', sim->time,
                   "initial conditions: where a loop of the model has no solution, a system of "
                   "their own %s",
                   solved ? "has one" : "has none");
    start_plan_close(plan);
    start_close(&s);
    arena_free(&arena);
    return solved;
}
