/* rank_system.c: some relations over some variables -> a point where they hold, and what holds around it.
 *
 * The point is found by the method of Levenberg and Marquardt, whose damping goes to zero with what is violated: where
 * solutions are not isolated, as in a mechanism that has more constraints than it needs, Newton's method has no step,
 * and this one still converges quadratically, to a solution near by.
 *
 * A constraint that says nothing new has no derivative of its own. So has one at a dead point, where it only says little. To
 * tell them apart the variables are moved a little along what is open, the independent constraints are solved
 * again, and the others are looked at: at a dead point they are off by the square of the move at least.
 */
#include "runtime/eval/rank_system.h"

#include "numerics/dense_lu.h"
#include "runtime/eval/rounding.h"

#include <float.h>
#include <math.h>
#include <string.h>

static const double SETTLED = 1e-11, FOLLOWS = 1e-9, SMALL = 1e-6, STARTED = 1e4;
static const double GIVEN = 64 * DBL_EPSILON, MOVES = 1e-9;

void rank_system_close(RankSystem *s)
{
    vec_free(s->sim->mem, &s->rel);
    vec_free(s->sim->mem, &s->var);
    map_free(s->sim->mem, &s->row);
    map_free(s->sim->mem, &s->column);
}

void rank_system_add_rel(RankSystem *s, DdpRel rel)
{
    if (map_get(&s->row, rel))
        return;
    vec_push(s->sim->mem, &s->rel, rel);
    map_put(s->sim->mem, &s->row, rel, s->rel.n);
}

void rank_system_add_var(RankSystem *s, DdpVar var)
{
    if (map_get(&s->column, var))
        return;
    vec_push(s->sim->mem, &s->var, var);
    map_put(s->sim->mem, &s->column, var, s->var.n);
}

RankSystem rank_system_of_loop(Sim *sim, const EvalNode *node)
{
    RankSystem s = {.sim = sim};
    for (uint32_t i = 0; i < node->n_steps + node->n_tears; i++) {
        rank_system_add_rel(&s, node->ops[i].rel);
        rank_system_add_var(&s, node_output(node, i));
    }
    return s;
}

DdpRelView rank_system_rel(const RankSystem *s, uint32_t i)
{
    DdpRelView view = ddp_rel(s->sim->ddp, s->rel.at[i]);
    DdpCombination entered;
    if (s->entered && ddp_combination(s->sim->ddp, s->rel.at[i], &entered)) {
        view.form = entered.form;
        view.n = entered.n;
        view.vars = entered.vars;
    }
    return view;
}

/* A variable of its own, or none at all? */
static bool is_apart(const RankSystem *s, uint32_t i, const uint32_t *uses)
{
    DdpRelView rel = rank_system_rel(s, i);
    const FormInfo *form = form_info(s->sim->forms, rel.form);
    bool any = false;
    for (uint32_t k = 0; k < rel.n; k++) {
        uint32_t column = rel.vars[k] ? map_get(&s->column, rel.vars[k]) : 0;
        if (!column || !form->position[k].occurs)
            continue;
        any = true;
        if (uses[column - 1] == 1)
            return true;
    }
    return !any;
}

static void count(const RankSystem *s, uint32_t i, uint32_t *uses, uint32_t change)
{
    DdpRelView rel = rank_system_rel(s, i);
    const FormInfo *form = form_info(s->sim->forms, rel.form);
    for (uint32_t k = 0; k < rel.n; k++) {
        uint32_t column = rel.vars[k] ? map_get(&s->column, rel.vars[k]) : 0;
        if (column && form->position[k].occurs)
            uses[column - 1] += change;
    }
}

void rank_system_peel(RankSystem *s)
{
    Mem *mem = s->sim->mem;
    RankSystem left = {.sim = s->sim, .entered = s->entered};
    uint32_t *uses = mem_alloc(mem, (s->var.n + s->rel.n + 1) * sizeof *uses);
    uint32_t *gone = uses + s->var.n;
    bool again = true;
    for (uint32_t i = 0; i < s->rel.n; i++)
        count(s, i, uses, 1);
    while (again) {
        again = false;
        for (uint32_t i = 0; i < s->rel.n; i++) {
            if (gone[i] || !is_apart(s, i, uses))
                continue;
            gone[i] = 1;
            again = true;
            count(s, i, uses, (uint32_t)-1);
        }
    }
    for (uint32_t i = 0; i < s->rel.n; i++)
        if (!gone[i])
            rank_system_add_rel(&left, s->rel.at[i]);
    for (uint32_t j = 0; j < s->var.n; j++)
        if (uses[j])
            rank_system_add_var(&left, s->var.at[j]);
    mem_free(mem, uses);
    rank_system_close(s);
    *s = left;
}

/* ---- values ---- */

static X difference(const RankSystem *s, uint32_t i)
{
    FormTable *forms = s->sim->forms;
    const FormInfo *form = form_info(forms, rank_system_rel(s, i).form);
    return x_binary(forms, X_SUB, form->lhs, form->rhs);
}

static double derivative(Sim *sim, const Code *code, const DdpVar *vars, DdpVar var)
{
    const double *tangents;
    sim->tangent[var] = 1;
    interp_tangent(code, vars, sim->value, sim->tangent, sim->eval.interp, &tangents,
                   evaluate_foreign, sim);
    sim->tangent[var] = 0;
    return tangents[0];
}

/* What a change of all its variables by SMALL makes of the relation: beside it zeros are zeros. */
static double smallest_size(const RankSystem *s, uint32_t i)
{
    DdpRelView rel = rank_system_rel(s, i);
    const Code *code = evaluate_make_code(s->sim, difference(s, i));
    double sum = 0;
    for (uint32_t k = 0; k < rel.n; k++)
        if (rel.vars[k])
            sum += SMALL * fabs(derivative(s->sim, code, rel.vars, rel.vars[k]));
    return sum;
}

static double off_by(const RankSystem *s, uint32_t i)
{
    Sim *sim = s->sim;
    const DdpVar *vars = rank_system_rel(s, i).vars;
    return fabs(x_value(sim->forms, difference(s, i), vars, sim->value, evaluate_foreign, sim));
}

static double size_of(const RankSystem *s, uint32_t i)
{
    return rounding_size(s->sim, difference(s, i), rank_system_rel(s, i).vars) +
           smallest_size(s, i);
}

double rank_system_violation(const RankSystem *s, uint32_t i)
{
    double off = off_by(s, i), size = off == 0 ? 1 : size_of(s, i);
    return size > 0 ? off / size : INFINITY;
}

double rank_system_worst(const RankSystem *s)
{
    double most = 0;
    for (uint32_t i = 0; i < s->rel.n; i++) {
        double size = rank_system_violation(s, i);
        if (!(size <= most))
            most = size;
    }
    return most;
}

static bool holds_at_zero(const RankSystem *s, uint32_t i)
{
    Sim *sim = s->sim;
    DdpRelView rel = rank_system_rel(s, i);
    double *kept = mem_alloc(sim->mem, (rel.n + 1) * sizeof *kept);
    for (uint32_t k = 0; k < rel.n; k++)
        kept[k] = sim->value[rel.vars[k]];
    for (uint32_t k = 0; k < rel.n; k++)
        if (!s->var.n || map_get(&s->column, rel.vars[k]))
            sim->value[rel.vars[k]] = 0;
    double off = x_value(sim->forms, difference(s, i), rel.vars, sim->value, evaluate_foreign, sim);
    for (uint32_t k = 0; k < rel.n; k++)
        sim->value[rel.vars[k]] = kept[k];
    mem_free(sim->mem, kept);
    return off == 0;
}

bool rank_system_holds_at_zero(const RankSystem *s)
{
    bool holds = true;
    for (uint32_t i = 0; i < s->rel.n && holds; i++)
        holds = holds_at_zero(s, i);
    return holds;
}

bool rank_system_residuals(const RankSystem *s, double *r)
{
    bool finite = true;
    for (uint32_t i = 0; i < s->rel.n; i++) {
        const Code *code = evaluate_make_code(s->sim, difference(s, i));
        r[i] = evaluate_code(s->sim, code, rank_system_rel(s, i).vars);
        finite = finite && isfinite(r[i]);
    }
    return finite;
}

static bool fill_row(const RankSystem *s, const DenseRank *out, uint32_t i)
{
    Sim *sim = s->sim;
    DdpRelView rel = rank_system_rel(s, i);
    const FormInfo *form = form_info(sim->forms, rel.form);
    const Code *code = evaluate_make_code(sim, difference(s, i));
    bool finite = true;
    for (uint32_t k = 0; k < rel.n && finite; k++) {
        uint32_t column = rel.vars[k] ? map_get(&s->column, rel.vars[k]) : 0;
        if (!column || !form->position[k].occurs)
            continue;
        double *entry = dense_rank_at(out, i, column - 1);
        *entry = derivative(sim, code, rel.vars, rel.vars[k]);
        finite = isfinite(*entry);
    }
    return finite;
}

bool rank_system_derivatives(const RankSystem *s, DenseRank *out)
{
    bool finite = true;
    *out = dense_rank_open(s->sim->mem, s->rel.n, s->var.n);
    for (uint32_t i = 0; i < s->rel.n && finite; i++)
        finite = fill_row(s, out, i);
    return finite;
}

/* Does a derivative depend on something that varies? */
static bool has_moving_factor(const RankSystem *s, uint32_t i)
{
    FormTable *forms = s->sim->forms;
    DdpRelView rel = rank_system_rel(s, i);
    X left_right = difference(s, i), factor, rest;
    for (uint32_t k = 0; k < rel.n; k++) {
        if (!rel.vars[k] || !map_get(&s->column, rel.vars[k]) || !x_uses(forms, left_right, k))
            continue;
        if (!x_linear(forms, left_right, k, &factor, &rest))
            return true;
        for (uint32_t p = 0; p < rel.n; p++)
            if (rel.vars[p] && ddp_var(s->sim->ddp, rel.vars[p]).varies && x_uses(forms, factor, p))
                return true;
    }
    return false;
}

double rank_system_zero(const RankSystem *s)
{
    for (uint32_t i = 0; i < s->rel.n; i++)
        if (has_moving_factor(s, i))
            return MOVES;
    return GIVEN * (s->rel.n + 1);
}

static void get(const RankSystem *s, double *to)
{
    for (uint32_t j = 0; j < s->var.n; j++)
        to[j] = s->sim->value[s->var.at[j]];
}

static void put(const RankSystem *s, const double *from)
{
    for (uint32_t j = 0; j < s->var.n; j++)
        s->sim->value[s->var.at[j]] = from[j];
}

/* ---- a point where all of them hold ---- */

typedef struct Descent {
    const RankSystem *s;
    double *r, *step, *old, *trial, *unit; /* unit: of rows */
    double *inert;                         /* of columns: how much it is damped */
    double *square, *work;                 /* what is solved for a step */
    uint32_t *pivot;
} Descent;

/* Variables with a start value stay nearer to it than those that nobody said anything of. */
static void set_inertia(const Descent *d)
{
    const Sim *sim = d->s->sim;
    for (uint32_t j = 0; j < d->s->var.n; j++)
        d->inert[j] = sim->eval.has_start(sim, d->s->var.at[j]) ? STARTED : 1;
}

static Descent descent_open(const RankSystem *s)
{
    Mem *mem = s->sim->mem;
    uint32_t m = s->rel.n, n = s->var.n;
    Descent d = {.s = s};
    d.r = mem_alloc(mem, (2 * (size_t)m + 4 * (size_t)n + 1) * sizeof *d.r);
    d.unit = d.r + m;
    d.step = d.unit + m;
    d.old = d.step + n;
    d.trial = d.old + n;
    d.inert = d.trial + n;
    set_inertia(&d);
    d.square = mem_alloc(mem, (2 * dense_lu_room(n) + 1) * sizeof *d.square);
    d.work = d.square + dense_lu_room(n);
    d.pivot = mem_alloc(mem, (dense_lu_pivots(n) + 1) * sizeof *d.pivot);
    return d;
}

static void descent_close(Descent *d)
{
    mem_free(d->s->sim->mem, d->r);
    mem_free(d->s->sim->mem, d->square);
    mem_free(d->s->sim->mem, d->pivot);
}

static double cost(const Descent *d)
{
    double sum = 0;
    for (uint32_t i = 0; i < d->s->rel.n; i++)
        sum += d->r[i] / d->unit[i] * (d->r[i] / d->unit[i]);
    return sum;
}

/* The transposed derivatives times themselves, and times what is violated. */
static bool linearize(Descent *d)
{
    uint32_t m = d->s->rel.n, n = d->s->var.n;
    DenseRank a;
    bool finite = rank_system_derivatives(d->s, &a);
    memset(d->square, 0, (size_t)n * n * sizeof *d->square);
    memset(d->step, 0, n * sizeof *d->step);
    for (uint32_t i = 0; i < m && finite; i++) {
        double *row = dense_rank_at(&a, i, 0), most = 0;
        for (uint32_t j = 0; j < n; j++)
            most = fmax(most, fabs(row[j]));
        d->unit[i] = most > 0 ? most : 1;
        for (uint32_t j = 0; j < n; j++) {
            double left = row[j] / d->unit[i];
            d->step[j] += left * d->r[i] / d->unit[i];
            for (uint32_t k = 0; left != 0 && k < n; k++)
                d->square[(size_t)j * n + k] += left * row[k] / d->unit[i];
        }
    }
    dense_rank_close(d->s->sim->mem, &a);
    return finite;
}

/* One step with this damping; false: it does not help. */
static bool descend(Descent *d, double damping, double before)
{
    uint32_t n = d->s->var.n;
    memcpy(d->work, d->square, (size_t)n * n * sizeof *d->work);
    for (uint32_t j = 0; j < n; j++)
        d->work[(size_t)j * n + j] += damping * d->inert[j];
    if (!dense_lu_factor(n, d->work, d->pivot))
        return false;
    memcpy(d->trial, d->step, n * sizeof *d->trial);
    dense_lu_solve(n, d->work, d->pivot, d->trial);
    for (uint32_t j = 0; j < n; j++)
        d->trial[j] = d->old[j] - d->trial[j];
    put(d->s, d->trial);
    return rank_system_residuals(d->s, d->r) && cost(d) < before;
}

static void come_near(const RankSystem *s)
{
    Descent d = descent_open(s);
    double damping = 1e-3;
    bool goes_on = rank_system_residuals(s, d.r) && rank_system_worst(s) > 0;
    for (int round = 0; round < 100 && goes_on && linearize(&d); round++) {
        double before = cost(&d);
        get(s, d.old);
        damping = fmin(damping, sqrt(before));
        goes_on = before > 0;
        while (goes_on && !descend(&d, fmax(damping, 1e-15), before)) {
            put(s, d.old);
            goes_on = (damping = fmax(10 * damping, 1e-14)) < 1e6;
        }
        rank_system_residuals(s, d.r);
        damping /= 10;
    }
    descent_close(&d);
}

/* ---- around it ---- */

/* Along all that is open at once, by different amounts. */
static void move(const RankSystem *s, const DenseRank *rank, double amount)
{
    double *moves = mem_alloc(s->sim->mem, (rank->n + 1) * sizeof *moves);
    for (uint32_t k = rank->rank; k < rank->n; k++) {
        dense_rank_moves(rank, k, moves);
        amount *= -0.8;
        for (uint32_t j = 0; j < rank->n; j++)
            s->sim->value[s->var.at[j]] += amount * moves[j] * rank->column_unit[j];
    }
    mem_free(s->sim->mem, moves);
}

/* Newton's method for the pivot rows and columns; true: these rows hold. */
static bool correct(const RankSystem *s, const DenseRank *rank)
{
    Mem *mem = s->sim->mem;
    uint32_t n = rank->rank;
    double *a = mem_alloc(mem, (dense_lu_room(n) + n + s->rel.n + 1) * sizeof *a);
    double *b = a + dense_lu_room(n), *r = b + n;
    uint32_t *pivot = mem_alloc(mem, (dense_lu_pivots(n) + 1) * sizeof *pivot);
    bool fine = true;
    for (int round = 0; round < 8 && fine; round++) {
        DenseRank now;
        fine = rank_system_derivatives(s, &now) && rank_system_residuals(s, r);
        for (uint32_t i = 0; i < n; i++) {
            b[i] = r[rank->row[i]];
            for (uint32_t j = 0; j < n; j++)
                a[(size_t)i * n + j] = *dense_rank_at(&now, rank->row[i], rank->column[j]);
        }
        dense_rank_close(mem, &now);
        fine = fine && dense_lu_factor(n, a, pivot);
        if (fine)
            dense_lu_solve(n, a, pivot, b);
        for (uint32_t j = 0; j < n && fine; j++)
            s->sim->value[s->var.at[rank->column[j]]] -= b[j];
    }
    for (uint32_t i = 0; i < n && fine; i++)
        fine = rank_system_violation(s, rank->row[i]) <= SETTLED;
    mem_free(mem, a);
    mem_free(mem, pivot);
    return fine;
}

/* A row that follows from others is off by what these are off, too: rounding of a place of 1 shows in an angle of 0. */
static bool holds_beside(const RankSystem *s, const DenseRank *rank, uint32_t k)
{
    uint32_t row = rank->row[k];
    if (rank_system_violation(s, row) <= SETTLED)
        return true;
    double *times = mem_alloc(s->sim->mem, (rank->m + 1) * sizeof *times), size = 0;
    dense_rank_rows(rank, k, times);
    for (uint32_t i = 0; i < rank->m; i++)
        if (times[i] != 0)
            size += fabs(times[i]) * size_of(s, i) / rank->row_unit[i];
    double off = off_by(s, row) * fabs(times[row]) / rank->row_unit[row];
    mem_free(s->sim->mem, times);
    return off <= GIVEN * size;
}

/* The squares of the descent see directions of 1e-8 no more, elimination does. */
bool rank_system_settle(const RankSystem *s)
{
    DenseRank rank;
    come_near(s);
    if (rank_system_worst(s) <= SETTLED)
        return true;
    bool fine = rank_system_derivatives(s, &rank);
    if (fine) {
        dense_rank_eliminate(s->sim->mem, &rank, rank_system_zero(s));
        fine = correct(s, &rank);
    }
    for (uint32_t k = rank.rank; k < rank.m && fine; k++)
        fine = holds_beside(s, &rank, k);
    dense_rank_close(s->sim->mem, &rank);
    return fine;
}

bool rank_system_follows(const RankSystem *s, const DenseRank *rank)
{
    Mem *mem = s->sim->mem;
    double *kept = mem_alloc(mem, (s->var.n + 1) * sizeof *kept);
    bool fine = true;
    get(s, kept);
    for (int side = -1; side <= 1 && fine; side += 2) {
        move(s, rank, side * 0.01);
        fine = correct(s, rank);
        for (uint32_t k = rank->rank; k < rank->m && fine; k++)
            fine = rank_system_violation(s, rank->row[k]) <= FOLLOWS;
        put(s, kept);
    }
    mem_free(mem, kept);
    return fine;
}
