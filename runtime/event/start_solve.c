/* start_solve.c: start values of variables that are no states -> values of states that have none.
 *
 * The modeller gives start values to what he thinks of (the angle of a joint); the DDP chooses the
 * states (perhaps the position of a body that hangs on it). As many start values as there are
 * states without one can be met: derState first, then in order of declaration, each if it is
 * independent of those before. They are equations for the states, solved by damped Newton; the
 * derivatives come from tangents through the whole schedule. Start values that are left over are
 * first guesses, and a difference is a warning.
 *
 * A state that was given its start value may be none any more when the branches of the start are
 * chosen (two coils that an open switch leaves in series): then all start values are looked at
 * anew.
 */
#include "numerics/dense_lu.h"
#include "runtime/event/event.h"

#include <math.h>
#include <string.h>

typedef struct Starts {
    Sim *sim;
    bool anew;                     /* those that were given count too */
    uint32_t n_rows, n_columns, n; /* n: equations that were found independent */
    const StartMemo **row;         /* wanted, in order of preference */
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
    s->row = arena_alloc(arena, (sim->start.starts.n + 1) * sizeof *s->row);
    s->column = arena_alloc(
        arena, (sim->start.zeroed.n + sim->start.starts.n + ddp_state_count(sim->ddp) + 1) *
                   sizeof *s->column);
    for (int preferred = 1; preferred >= 0; preferred--)
        for (uint32_t i = 0; i < sim->start.starts.n; i++)
            if (wanted(s, &sim->start.starts.at[i], preferred))
                s->row[s->n_rows++] = &sim->start.starts.at[i];
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
            s->matrix[(size_t)r * s->n_columns + c] = sim->tangent[s->row[r]->var];
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
    return off_start(s->sim, s->row[s->chosen_row[k]]);
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
        const StartMemo *start = s->row[r];
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

SolStatus start_solve(Sim *sim)
{
    Starts s = {.sim = sim};
    if (!sim->start.starts.n)
        return SOL_OK;
    SolStatus status = check_starts(sim);
    if (status != SOL_OK)
        return status;
    Arena arena;
    arena_init(&arena, sim->mem);
    s.anew = any_lost(sim);
    collect(&s, &arena);
    if (s.n_rows && s.n_columns) {
        fill_matrix(&s);
        choose(&s);
        for (int round = 0; round < 40 && s.n && distance(&s) > 1e-13; round++)
            if (!newton_step(&s))
                break;
    }
    if (!parts_running(sim))
        warn_left_over(&s);
    arena_free(&arena);
    return evaluate_dirty(sim, EVAL_EVENT);
}
