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
 * hold, and start values count for the states that they leave free.
 *
 * A state that was given its start value may be none any more when the branches of the start are
 * chosen (two coils that an open switch leaves in series): then all start values are looked at
 * anew.
 */
#include "numerics/dense_lu.h"
#include "runtime/eval/rounding.h"
#include "runtime/event/event.h"

#include <math.h>
#include <string.h>

/* What a variable is to be: a start value, or 0 where it is what a condition is off by. */
typedef struct StartRow {
    DdpVar var;
    const StartMemo *start; /* NULL: a condition */
    DdpRel rel;             /* of a condition */
} StartRow;

typedef struct Starts {
    Sim *sim;
    uint32_t n_conditions;         /* they come first */
    bool anew;                     /* those that were given count too */
    uint32_t n_rows, n_columns, n; /* n: equations that were found independent */
    StartRow *row;                 /* wanted, in order of preference */
    DdpVar *column;
    uint32_t *chosen_row, *chosen_column; /* [n] */
    double *matrix;                       /* [n_rows][n_columns]: d row / d column */
    double *system, *step, *old;
    uint32_t *pivot;
} Starts;

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
           fabs(off_start(sim, start)) > 1e-9 * (1 + fabs(sim->value[start->start]));
}

static bool any_lost(const Sim *sim)
{
    for (uint32_t i = 0; i < sim->start.starts.n; i++)
        if (is_lost(sim, &sim->start.starts.at[i]))
            return true;
    return false;
}

static bool wanted(const Starts *s, const StartMemo *start, bool preferred)
{
    const Sim *sim = s->sim;
    return is_known(sim, start) && (s->anew || (!start->given && !sim->info[start->var].state)) &&
           (bool)(ddp_rel(sim->ddp, start->rel).flags & DDP_PREFER_STATE) == preferred;
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

static double off_row(const Starts *s, uint32_t r)
{
    const StartRow *row = &s->row[r];
    if (!row->start) /* an output: nobody else asks for it */
        evaluate_fetch(s->sim, row->var, EVAL_EVENT);
    return row->start ? off_start(s->sim, row->start) : s->sim->value[row->var];
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
}

static void collect(Starts *s, Arena *arena)
{
    Sim *sim = s->sim;
    s->row = arena_alloc(arena, (sim->start.starts.n + count_conditions(sim) + 1) * sizeof *s->row);
    s->column = arena_alloc(
        arena, (sim->start.zeroed.n + sim->start.starts.n + ddp_state_count(sim->ddp) + 1) *
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
    size_t size = (size_t)s->n_rows * s->n_columns, room = dense_lu_room(s->n_columns);
    s->matrix = arena_alloc(arena, size * sizeof *s->matrix);
    s->system = arena_alloc(arena, (size > room ? size : room) * sizeof *s->system);
    s->chosen_row = arena_alloc(arena, s->n_columns * sizeof *s->chosen_row);
    s->chosen_column = arena_alloc(arena, s->n_columns * sizeof *s->chosen_column);
    s->step = arena_alloc(arena, s->n_columns * sizeof *s->step);
    s->old = arena_alloc(arena, s->n_columns * sizeof *s->old);
    s->pivot = arena_alloc(arena, dense_lu_pivots(s->n_columns) * sizeof *s->pivot);
}

/* ---- derivatives ---- */

static void sweep(Sim *sim)
{
    for (DdpNode n = ddp_first(sim->ddp); n; n = ddp_next(sim->ddp, n)) {
        const EvalNode *node = &sim->nodes.at[n];
        if (node->determined && node->varies && !(node->loop && !node->factored))
            evaluate_tangent_node(sim, n);
    }
}

static void fill_matrix(Starts *s)
{
    Sim *sim = s->sim;
    for (uint32_t c = 0; c < s->n_columns; c++) {
        sim->tangent[s->column[c]] = 1;
        sweep(sim);
        for (uint32_t r = 0; r < s->n_rows; r++)
            s->matrix[(size_t)r * s->n_columns + c] = sim->tangent[s->row[r].var];
        sim->tangent[s->column[c]] = 0;
        for (DdpNode n = ddp_first(sim->ddp); n; n = ddp_next(sim->ddp, n))
            evaluate_clear_tangents(sim, n);
    }
}

/* Elimination row by row in order of preference: a row that is no combination of those before is
 * chosen together with the column of its largest entry. */
static void choose(Starts *s)
{
    uint32_t m = s->n_columns;
    double *work = s->system;
    memcpy(work, s->matrix, (size_t)s->n_rows * m * sizeof *work);
    s->n = 0;
    for (uint32_t r = 0; r < s->n_rows && s->n < m; r++) {
        double *row = work + (size_t)r * m, before = 0, after = 0;
        uint32_t best = 0;
        for (uint32_t c = 0; c < m; c++)
            before = fmax(before, fabs(row[c]));
        for (uint32_t k = 0; k < s->n; k++) {
            const double *up = work + (size_t)s->chosen_row[k] * m;
            double factor = row[s->chosen_column[k]] / up[s->chosen_column[k]];
            for (uint32_t c = 0; c < m; c++)
                row[c] -= factor * up[c];
            row[s->chosen_column[k]] = 0;
        }
        for (uint32_t c = 0; c < m; c++)
            if (fabs(row[c]) > after) {
                after = fabs(row[c]);
                best = c;
            }
        if (!(after > 1e-8 * before))
            continue;
        s->chosen_row[s->n] = r;
        s->chosen_column[s->n++] = best;
    }
}

/* ---- Newton ---- */

static double difference(const Starts *s, uint32_t k)
{
    return off_row(s, s->chosen_row[k]);
}

static double distance(const Starts *s)
{
    double most = 0;
    for (uint32_t k = 0; k < s->n; k++)
        most = fmax(most, fabs(difference(s, k)));
    return most;
}

static bool move(Starts *s, double part)
{
    Sim *sim = s->sim;
    for (uint32_t k = 0; k < s->n; k++)
        values_set(sim, s->column[s->chosen_column[k]], s->old[k] - part * s->step[k]);
    return evaluate_dirty(sim, EVAL_EVENT | EVAL_TRIAL) == SOL_OK;
}

static bool newton_step(Starts *s)
{
    double before = distance(s);
    fill_matrix(s);
    for (uint32_t i = 0; i < s->n; i++) {
        for (uint32_t k = 0; k < s->n; k++)
            s->system[(size_t)i * s->n + k] =
                s->matrix[(size_t)s->chosen_row[i] * s->n_columns + s->chosen_column[k]];
        s->step[i] = difference(s, i);
        s->old[i] = s->sim->value[s->column[s->chosen_column[i]]];
    }
    if (!dense_lu_factor(s->n, s->system, s->pivot))
        return false;
    dense_lu_solve(s->n, s->system, s->pivot, s->step);
    for (double part = 1; part > 1e-4; part /= 2)
        if (move(s, part) && distance(s) < before)
            return true;
    move(s, 0);
    return false;
}

static void warn_left_over(Starts *s)
{
    for (uint32_t r = 0; r < s->n_rows; r++) {
        const StartMemo *start = s->row[r].start;
        if (!start)
            continue;
        double value = s->sim->value[start->var], meant = s->sim->value[start->start];
        if (fabs(value - meant) > 1e-6 * (1 + fabs(meant)))
            diag_warning(s->sim->diags, start->at,
                         "%s starts at %.10g: its start value %.10g was only a first guess",
                         explain_var(s->sim, start->var), value, meant);
    }
}

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

/* ---- conditions ---- */

static const double MET = 1e-9; /* against the terms of the equation */

/* How far a condition is off, against what its sides consist of. */
static double violation(const Starts *s, uint32_t r)
{
    Sim *sim = s->sim;
    DdpCombination entered = {0};
    ddp_combination(sim->ddp, s->row[r].rel, &entered);
    const FormInfo *form = form_info(sim->forms, entered.form);
    X difference = x_binary(sim->forms, X_SUB, form->lhs, form->rhs);
    return fabs(off_row(s, r)) / fmax(1, rounding_size(sim, difference, entered.vars));
}

static bool is_chosen(const Starts *s, uint32_t r)
{
    for (uint32_t k = 0; k < s->n; k++)
        if (s->chosen_row[k] == r)
            return true;
    return false;
}

/* The point where the derivatives were taken may be one where a condition says nothing (x*x = 4 at 0): another one near by. */
static void leave_point(Starts *s)
{
    bool stuck = false;
    for (uint32_t r = 0; r < s->n_conditions; r++)
        stuck |= !is_chosen(s, r) && violation(s, r) > MET;
    if (!stuck)
        return;
    for (uint32_t c = 0; c < s->n_columns; c++) {
        double value = s->sim->value[s->column[c]];
        values_set(s->sim, s->column[c], value + 0.01 * (1 + fabs(value)) * (1 + 0.1 * c));
    }
    evaluate_dirty(s->sim, EVAL_EVENT | EVAL_TRIAL);
    fill_matrix(s);
    choose(s);
}

static void note_conditions(const Starts *s, uint32_t but)
{
    enum { MOST_NAMED = 8 };
    for (uint32_t r = 0, n = 0; r < s->n_conditions && n < MOST_NAMED; r++)
        if (r != but) {
            diag_note(s->sim->diags, world_rel_place(s->sim->world, s->row[r].rel),
                      "another condition: %s", explain_rel(s->sim, s->row[r].rel));
            n++;
        }
}

/* All conditions hold, or the run ends. */
static SolStatus check_conditions(const Starts *s)
{
    uint32_t worst = 0;
    double most = 0;
    for (uint32_t r = 0; r < s->n_conditions; r++) {
        double size = violation(s, r);
        if (!(size <= most)) {
            most = size;
            worst = r;
        }
    }
    if (most <= MET)
        return SOL_OK;
    Sim *sim = s->sim;
    bool many = !is_chosen(s, worst);
    diag_error(sim->diags, world_rel_place(sim->world, s->row[worst].rel),
               many ? "at time %.10g there are too many initial conditions: '%s' is off by %.3g "
                      "when the others hold"
                    : "at time %.10g the initial conditions cannot be met: '%s' is off by %.3g",
               sim->time, explain_rel(sim, s->row[worst].rel), off_row(s, worst));
    if (many)
        diag_note(sim->diags, 0, "%u conditions for %u states: one of them may be dropped",
                  s->n_conditions, s->n_columns);
    note_conditions(s, worst);
    return many ? SOL_MODEL : SOL_NUMERICS;
}

SolStatus start_solve(Sim *sim)
{
    Starts s = {.sim = sim};
    uint32_t conditions = count_conditions(sim);
    if (!sim->start.starts.n && !conditions)
        return SOL_OK;
    SolStatus status = check_starts(sim);
    if (status != SOL_OK)
        return status;
    Arena arena;
    arena_init(&arena, sim->mem);
    s.anew = conditions > 0 || any_lost(sim);
    collect(&s, &arena);
    if (s.n_rows && s.n_columns) {
        fill_matrix(&s);
        choose(&s);
        leave_point(&s);
        for (int round = 0; round < 40 && s.n && distance(&s) > 1e-13; round++)
            if (!newton_step(&s))
                break;
    }
    if (!parts_running(sim))
        warn_left_over(&s);
    status = evaluate_dirty(sim, EVAL_EVENT);
    if (status == SOL_OK)
        status = check_conditions(&s);
    arena_free(&arena);
    return status;
}
