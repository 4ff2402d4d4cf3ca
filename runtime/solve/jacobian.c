/* jacobian.c: a part -> pattern, colours and values of its Jacobian -> linear systems solved.
 *
 * Residuals are F = [y' - f(t, y, w); g(t, y, w)] over states y and tearing variables w. Columns
 * come from forward tangents of the dynamics' codes, one sweep for each colour. The matrix is that
 * of an extended system: hubs have rows and columns of their own (pattern.c), whose right-hand side
 * is 0 and whose solution nobody reads. Up to DENSE_UP_TO unknowns nothing is kept; above, what
 * depends on more than PATTERN_KEEP_FROM columns is.
 *
 * Two direct solvers behind one SUNLinearSolver: dense LU with partial pivoting, and KLU, whose
 * analysis is made once for a pattern and whose pivot order is kept while it stays good
 * (klu_refactor). For SUNDIALS' GMRES there are products with a vector, one sweep of tangents each,
 * and a preconditioner: incomplete factors of the matrix of some steps ago (ilu.c), or KLU's where
 * tearing variables leave no safe diagonal.
 *
 * Which one: dense up to DENSE_UP_TO unknowns; KLU above, as long as its factors stay sparse; what
 * fills (grids in two and three dimensions) goes to GMRES above KRYLOV_FROM unknowns. The analysis
 * tells: FILL is how much larger than the matrix its factors may be.
 */
#include "runtime/solve/jacobian.h"

#include "numerics/dense_lu.h"
#include "numerics/ilu.h"
#include "runtime/solve/direct_solver.h"
#include "runtime/solve/pattern.h"
#include "runtime/solve/sparse_lu.h"
#include "runtime/eval/tape.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DENSE_UP_TO = 40, KRYLOV_FROM = 2000, FILL = 12 };

#define NONE UINT32_MAX

/* What solving reads comes first. */
struct Jacobian {
    DirectSolver direct_solver; /* as SUNDIALS sees it */
    Part *part;
    uint32_t n; /* unknowns of the integrator */
    bool sparse;
    bool direct;     /* never Krylov */
    bool taped;      /* tangents come from the part's tape */
    bool incomplete; /* Krylov without tearing variables: by ilu.c */
    JacobianKind kind;
    double cj;         /* that the values are for, 0: there are none yet */
    double *factors;   /* dense, or incomplete */
    uint32_t *pivot;   /* dense: [2 * n] */
    int *place;        /* incomplete: [m], scratch of ilu.c */
    double *value;     /* sparse: [column[m]]; dense: [n * n] by rows */
    double *result;    /* [m]: tangents of residuals and of what is kept, negative, in one sweep */
    double *work;      /* [m] */
    double *own;       /* [states]: diagonal without cj */
    Pattern p, before; /* as it is, and as it was before it was renewed */
    uint32_t version;  /* of the order whose segments p has */
    VEC(double) room;  /* where the arrays above lie */
    Mem *mem;
    SparseLu lu;
};

/* ---- values ---- */

/* Nodes took other places in the schedule, and so came into other segments, while the integrator went
 * on: the pattern is the same. */
static void refresh(Jacobian *j)
{
    if (j->version == j->part->orders[0].version)
        return;
    double cj = j->cj;
    jacobian_renew(j);
    j->cj = cj;
}

/* Tangents from those of the unknowns through all segments that `colours` has a bit of. `colour` is
 * the one that seeds what is kept; NONE: nothing is kept, as if it were no column. */
static void sweep(Jacobian *j, uint64_t colours, uint32_t colour)
{
    Sim *sim = j->part->sim;
    pattern_list_segments(j->part, &j->p);
    for (uint32_t i = 0; i < j->p.segments.n; i++) {
        const PatternSegment *it = &j->p.segments.at[i];
        if (!(it->colours & colours))
            continue;
        segment_tangent(sim, it->segment, j->result + it->row);
        for (uint32_t c = it->kept; c < it->kept + it->n_kept && colour != NONE; c++) {
            double *tangent = &sim->tangent[j->p.var.at[c]];
            j->result[c] = -*tangent;
            *tangent = j->p.colour.at[c] == colour;
        }
    }
}

static void clear_sweep(Jacobian *j, uint64_t colours)
{
    Sim *sim = j->part->sim;
    for (uint32_t i = 0; i < j->p.segments.n; i++) {
        bool last = i + 1 == j->p.segments.n;
        uint32_t end = last ? j->p.target.n : j->p.segments.at[i + 1].target;
        if (j->p.segments.at[i].colours & colours)
            for (uint32_t k = j->p.segments.at[i].target; k < end; k++)
                sim->tangent[j->p.target.at[k]] = 0;
    }
}

static double entry(const Jacobian *j, uint32_t r, uint32_t c, double cj)
{
    if (r >= j->n)
        return r == c ? 1 : j->result[r];
    if (r >= j->part->states.n)
        return j->result[r];
    double value = j->taped ? -j->result[r] : -j->part->sim->tangent[j->part->states.at[r].slope];
    if (r != c)
        return value;
    j->own[c] = value;
    return value + cj;
}

static void store_column(Jacobian *j, uint32_t c, double cj)
{
    for (int i = j->p.column.at[c]; i < j->p.column.at[c + 1]; i++) {
        uint32_t r = (uint32_t)j->p.row.at[i];
        j->value[j->sparse ? (size_t)i : (size_t)r * j->n + c] = entry(j, r, c, cj);
    }
}

static void seed(Jacobian *j, const uint32_t *column, const uint32_t *end, double value)
{
    for (; column < end; column++)
        if (*column < j->n)
            j->part->sim->tangent[j->p.var.at[*column]] = value;
}

/* One sweep by the tape; `work` is all 0 before and after. */
static void colour_by_tape(Jacobian *j, const uint32_t *column, const uint32_t *end)
{
    for (const uint32_t *c = column; c < end; c++)
        j->work[*c] = 1;
    tape_tangent(j->part, 0, j->work, j->result);
    for (const uint32_t *c = column; c < end; c++)
        j->work[*c] = 0;
}

static void evaluate_colour(Jacobian *j, uint32_t k, double cj)
{
    const uint32_t *first = j->p.by_colour.at + j->p.colour_from.at[k];
    const uint32_t *end = j->p.by_colour.at + j->p.colour_from.at[k + 1];
    uint64_t bit = (uint64_t)1 << k % 64;
    bool passes = j->p.passing & bit;
    if (j->taped) {
        colour_by_tape(j, first, end);
    } else {
        seed(j, first, end, 1);
        if (passes)
            sweep(j, bit, k);
    }
    for (const uint32_t *c = first; c < end; c++)
        store_column(j, *c, cj);
    if (!j->taped) {
        seed(j, first, end, 0);
        if (passes)
            clear_sweep(j, bit);
    }
    j->part->sim->counts.sweeps += passes;
}

/* Values that tangents pass through, by the part's tape if it has one that serves. */
static bool prepare(Jacobian *j, double time, bool evaluated)
{
    j->taped = j->p.m == j->n && tape_has_tangents(j->part);
    if (evaluated && tape_is_latest(j->part)) {
        if (!j->taped)
            tape_settle(j->part);
        return true;
    }
    j->taped = j->taped && !evaluated && tape_slopes(j->part, time, NULL, NULL);
    return j->taped || evaluated ||
           part_evaluate(j->part, time, j->result + j->part->states.n) == 0;
}

int jacobian_evaluate(Jacobian *j, double time, double cj, bool evaluated)
{
    refresh(j);
    if (!prepare(j, time, evaluated))
        return 1;
    if (!j->sparse)
        memset(j->value, 0, (size_t)j->n * j->n * sizeof *j->value);
    if (!j->taped)
        blocks_prepare_tangents(j->part);
    else
        memset(j->work, 0, j->n * sizeof *j->work);
    for (uint32_t k = 0; k < j->p.n_colours; k++)
        evaluate_colour(j, k, cj);
    j->cj = cj;
    j->part->sim->counts.jacobians++;
    return 0;
}

/* Where entry (c, c) lies: rows ascend. */
static size_t diagonal(const Jacobian *j, uint32_t c)
{
    if (!j->sparse)
        return (size_t)c * j->n + c;
    int low = j->p.column.at[c], high = j->p.column.at[c + 1];
    while (high - low > 1) {
        int middle = low + (high - low) / 2;
        if ((uint32_t)j->p.row.at[middle] <= c)
            low = middle;
        else
            high = middle;
    }
    return (size_t)low;
}

bool jacobian_shift(Jacobian *j, double cj)
{
    if (j->cj == 0)
        return false;
    for (uint32_t c = 0; c < j->part->states.n; c++)
        j->value[diagonal(j, c)] = j->own[c] + cj;
    j->cj = cj;
    return true;
}

static double value_at(const Jacobian *j, int i, uint32_t c)
{
    return j->value[j->sparse ? (size_t)i : (size_t)j->p.row.at[i] * j->n + c];
}

/* Of one unit of column c on a state; `kept`: the same of what is kept, by column. */
static double effect(const Jacobian *j, uint32_t c, const double *weight, const double *kept)
{
    double most = 0;
    for (int i = j->p.column.at[c]; i < j->p.column.at[c + 1]; i++) {
        uint32_t r = (uint32_t)j->p.row.at[i];
        double size = fabs(value_at(j, i, c));
        if (r < j->part->states.n)
            most = fmax(most, size / fabs(j->cj) * weight[r]);
        else if (r >= j->n && r != c)
            most = fmax(most, size * kept[r]);
    }
    return most;
}

/* What is kept is read by what comes later: backwards. */
void jacobian_effects(Jacobian *j, double *weight)
{
    if (j->cj == 0 || j->n == j->part->states.n)
        return;
    for (uint32_t c = j->p.m; c-- > j->part->states.n;) {
        j->work[c] = effect(j, c, weight, j->work);
        if (c < j->n)
            weight[c] = fmax(weight[c], j->work[c]);
    }
}

/* to := A from, with A = cj - (the matrix), what is kept eliminated: its entries in `from` are made
 * on the way. */
static void times(const Jacobian *j, double *from, double *to)
{
    for (uint32_t r = 0; r < j->p.m; r++)
        to[r] = r < j->n ? j->cj * from[r] : 0;
    for (uint32_t c = 0; c < j->p.m; c++) {
        if (c >= j->n)
            from[c] = to[c];
        for (int i = j->p.column.at[c]; i < j->p.column.at[c + 1]; i++) {
            uint32_t r = (uint32_t)j->p.row.at[i];
            if (r < j->n || r != c)
                to[r] -= value_at(j, i, c) * from[c];
        }
    }
}

static double scale_to_one(uint32_t n, double *v)
{
    double most = 0;
    for (uint32_t i = 0; i < n; i++)
        most = fmax(most, fabs(v[i]));
    for (uint32_t i = 0; i < n && most > 0; i++)
        v[i] /= most;
    return most;
}

/* Power iteration; the growth is averaged over the last rounds, because pairs of complex
 * eigenvalues make it swing. */
double jacobian_radius(Jacobian *j)
{
    enum { ROUNDS = 20, LAST = 12 };
    double *v = j->result, *next = j->work, growth = 0;
    if (j->cj == 0 || j->n != j->part->states.n)
        return INFINITY;
    for (uint32_t i = 0; i < j->n; i++)
        v[i] = 1 - 0.7 * (i % 3);
    for (int round = 0; round < ROUNDS; round++) {
        times(j, v, next);
        double size = scale_to_one(j->n, next);
        if (!(size > 0))
            return size == 0 ? 0 : INFINITY;
        if (round >= ROUNDS - LAST)
            growth += log(size);
        double *t = v;
        v = next;
        next = t;
    }
    return exp(growth / LAST);
}

/* ---- solving ---- */

static int setup_dense(Jacobian *j)
{
    memcpy(j->factors, j->value, (size_t)j->n * j->n * sizeof *j->factors);
    return dense_lu_factor(j->n, j->factors, j->pivot) ? 0 : 1;
}

int jacobian_factor(Jacobian *j)
{
    if (j->incomplete)
        return !ilu_factor(j->p.m, j->p.column.at, j->p.row.at, j->value, j->factors, j->work,
                           j->place);
    if (!j->sparse)
        return setup_dense(j);
    return sparse_lu_factor(&j->lu, j->mem, j->p.m, j->p.column.at, j->p.row.at, j->value);
}

static int solve_sparse(Jacobian *j, double *b)
{
    if (!j->incomplete)
        return sparse_lu_solve(&j->lu, j->p.m, b);
    ilu_solve(j->p.m, j->p.column.at, j->p.row.at, j->factors, b);
    return 0;
}

int jacobian_solve(Jacobian *j, double *b)
{
    if (!j->sparse) {
        dense_lu_solve(j->n, j->factors, j->pivot, b);
        return 0;
    }
    if (j->p.m == j->n)
        return solve_sparse(j, b);
    memcpy(j->work, b, j->n * sizeof *b);
    memset(j->work + j->n, 0, (j->p.m - j->n) * sizeof *b);
    int result = solve_sparse(j, j->work);
    memcpy(b, j->work, j->n * sizeof *b);
    return result;
}

/* Tangents of slopes from one of 1 of the clock and those of the states: `along` the solution their slopes, else 0. */
static void clock_by_segments(Jacobian *j, bool along, double *to)
{
    Part *part = j->part;
    Sim *sim = part->sim;
    sim->tangent[sim->clock] = 1;
    for (uint32_t i = 0; along && i < part->states.n; i++)
        sim->tangent[part->states.at[i].var] = sim->value[part->states.at[i].slope];
    pattern_list_segments(part, &j->p);
    blocks_prepare_tangents(part);
    for (uint32_t i = 0; i < j->p.segments.n; i++)
        segment_tangent(sim, j->p.segments.at[i].segment, NULL);
    for (uint32_t i = 0; i < part->states.n; i++)
        to[i] = sim->tangent[part->states.at[i].slope];
    sim->tangent[sim->clock] = 0;
    for (uint32_t c = 0; c < j->n; c++)
        sim->tangent[j->p.var.at[c]] = 0;
    for (uint32_t k = 0; k < j->p.target.n; k++)
        sim->tangent[j->p.target.at[k]] = 0;
}

void jacobian_along(Jacobian *j, double *second)
{
    Part *part = j->part;
    refresh(j);
    if (j->n != part->states.n || !tape_has_tangents(part) || !tape_at_event(part)) {
        clock_by_segments(j, true, second);
        return;
    }
    for (uint32_t i = 0; i < j->n; i++)
        j->work[i] = part->sim->value[part->states.at[i].slope];
    tape_tangent(part, 1, j->work, second);
}

void jacobian_by_clock(Jacobian *j, double *slope)
{
    if (!j->taped) {
        clock_by_segments(j, false, slope);
        return;
    }
    memset(j->work, 0, j->n * sizeof *j->work);
    tape_tangent(j->part, 1, j->work, slope);
}

static void times_by_segments(Jacobian *j, const double *v, double *slopes)
{
    Sim *sim = j->part->sim;
    for (uint32_t c = 0; c < j->n; c++)
        sim->tangent[j->p.var.at[c]] = v[c];
    tape_settle(j->part);
    sweep(j, ~(uint64_t)0, NONE);
    for (uint32_t r = 0; r < j->part->states.n; r++)
        slopes[r] = sim->tangent[j->part->states.at[r].slope];
    for (uint32_t c = 0; c < j->n; c++)
        sim->tangent[j->p.var.at[c]] = 0;
    clear_sweep(j, ~(uint64_t)0);
}

void jacobian_times(Jacobian *j, double cj, const double *v, double *out)
{
    if (tape_has_tangents(j->part) && tape_is_latest(j->part))
        tape_tangent(j->part, 0, v, out);
    else
        times_by_segments(j, v, out);
    for (uint32_t r = 0; r < j->part->states.n; r++)
        out[r] = cj * v[r] - out[r];
    for (uint32_t r = j->part->states.n; r < j->n; r++)
        out[r] = j->result[r];
}

/* Solver and matrix are parts of the Jacobian. */
static int factor_any(void *jacobian)
{
    return jacobian_factor(jacobian);
}

static int solve_any(void *jacobian, double *b)
{
    return jacobian_solve(jacobian, b);
}

SUNLinearSolver jacobian_solver(Jacobian *j, SUNContext context)
{
    return direct_solver(&j->direct_solver, context);
}

SUNMatrix jacobian_matrix(Jacobian *j, SUNContext context)
{
    return direct_matrix(&j->direct_solver, context);
}

/* ---- life ---- */

/* By option, or by size. */
static bool is_dense(const Part *part)
{
    SolLinear linear = part->sim->opt.linear;
    return linear == SOL_LINEAR_DENSE || (linear == SOL_LINEAR_AUTO && part->n <= DENSE_UP_TO);
}

/* What is not dense: by option, or by size and by how much KLU's factors would fill. */
static JacobianKind choose_sparse(Jacobian *j)
{
    SolLinear linear = j->part->sim->opt.linear;
    if (j->direct)
        return JACOBIAN_KLU;
    if (linear == SOL_LINEAR_KRYLOV)
        return JACOBIAN_KRYLOV;
    if (linear == SOL_LINEAR_KLU || j->n < KRYLOV_FROM || j->part->loops.n)
        return JACOBIAN_KLU;
    sparse_lu_analyze(&j->lu, j->mem, j->p.m, j->p.column.at, j->p.row.at);
    const klu_symbolic *symbolic = j->lu.symbolic;
    bool fills = symbolic && symbolic->lnz + symbolic->unz > (double)FILL * j->p.row.n;
    return fills ? JACOBIAN_KRYLOV : JACOBIAN_KLU;
}

JacobianKind jacobian_kind(const Jacobian *j)
{
    return j->kind;
}

/* All arrays from one that grows when it must. */
static void carve(Jacobian *j, size_t values, size_t factors)
{
    size_t m = j->p.m;
    vec_reserve(j->mem, &j->room, (uint32_t)(values + factors + 4 * m));
    j->value = j->room.at;
    j->factors = j->value + values;
    j->result = j->factors + factors;
    j->work = j->result + m;
    j->own = j->work + m;
    j->pivot = (uint32_t *)(j->own + m);
    j->place = (int *)(j->own + m);
    memset(j->result, 0, m * sizeof *j->result);
}

static void make(Jacobian *j)
{
    j->n = j->direct_solver.n = j->part->n;
    j->cj = 0;
    j->version = j->part->orders[0].version;
    j->sparse = !is_dense(j->part);
    pattern_make(j->part, &j->p, j->sparse ? PATTERN_KEEP_FROM : UINT32_MAX);
    if (j->sparse ? !pattern_same(&j->p, &j->before) : j->lu.symbolic != NULL)
        sparse_lu_forget(&j->lu);
    j->kind = j->sparse ? choose_sparse(j) : JACOBIAN_DENSE;
    j->incomplete = j->kind == JACOBIAN_KRYLOV && !j->part->loops.n;
    size_t values = j->sparse ? j->p.row.n : (size_t)j->n * j->n;
    size_t factors = !j->sparse ? dense_lu_room(j->n) : j->incomplete ? values : 0;
    carve(j, values, factors);
    SimCounts *counts = &j->part->sim->counts;
    counts->nonzeros = j->p.row.n > counts->nonzeros ? j->p.row.n : counts->nonzeros;
    part_prefetch_note(j->part, MEMORY_JACOBIAN, j, offsetof(Jacobian, before));
    part_prefetch_note(j->part, MEMORY_FACTORS, j->room.at, j->room.cap * sizeof *j->room.at);
}

static Jacobian *open(Part *part, bool direct)
{
    Jacobian *j = mem_alloc(part->sim->mem, sizeof *j);
    *j = (Jacobian){.part = part, .mem = part->sim->mem, .direct = direct};
    sparse_lu_open(&j->lu);
    j->direct_solver = (DirectSolver){.owner = j, .factor = factor_any, .solve = solve_any};
    make(j);
    return j;
}

Jacobian *jacobian_open(Part *part)
{
    return open(part, false);
}

Jacobian *jacobian_open_direct(Part *part)
{
    return open(part, true);
}

void jacobian_renew(Jacobian *j)
{
    Pattern t = j->before;
    j->before = j->p;
    j->p = t;
    make(j);
}

void jacobian_close(Jacobian *j)
{
    if (!j)
        return;
    sparse_lu_forget(&j->lu);
    pattern_free(j->mem, &j->p);
    pattern_free(j->mem, &j->before);
    vec_free(j->mem, &j->room);
    mem_free(j->mem, j);
}
