/* linear_dae.c: a linear system of differential and algebraic equations -> its solution. See
 * linear_dae.h. */
#include "tests/support/linear_dae.h"

#include <math.h>
#include <string.h>

/* In rows whose largest element is 1, what elimination leaves is rounding below the first, a number
 * above the second. */
static const Long ZERO = 1e-14L, SOME = 1e-9L;
enum { INDEX = 5 };

typedef struct Reducer {
    LinearDae *d;
    int column[LD_MOST]; /* order of the columns of E */
    int n_constraints;
    Long constraint[2 * LD_MOST][LD_MOST];
    bool doubtful;
} Reducer;

static Long largest_of(const Long *row, int n)
{
    Long most = 0;
    for (int i = 0; i < n; i++)
        most = fmaxl(most, fabsl(row[i]));
    return most;
}

static void scale_row(Long *row, Long *with, int n)
{
    Long most = largest_of(row, n);
    for (int i = 0; i < n && most > 0; i++) {
        row[i] /= most;
        if (with)
            with[i] /= most;
    }
}

static void exchange(Long *a, Long *b, int n)
{
    for (int i = 0; i < n; i++) {
        Long t = a[i];
        a[i] = b[i];
        b[i] = t;
    }
}

static void subtract(Long *row, const Long *other, Long factor, int n)
{
    for (int i = 0; i < n; i++)
        row[i] -= factor * other[i];
}

/* ---- E made regular ---- */

static bool find_pivot(Reducer *r, int rank, int *row, int *at)
{
    Long most = 0;
    for (int i = rank; i < r->d->n; i++)
        for (int j = rank; j < r->d->n; j++)
            if (fabsl(r->d->e[i][r->column[j]]) > most) {
                most = fabsl(r->d->e[i][r->column[j]]);
                *row = i;
                *at = j;
            }
    r->doubtful |= most > ZERO && most < SOME;
    return most > ZERO;
}

/* Gauss and Jordan with complete pivoting; the rank of E. */
static int eliminate(Reducer *r)
{
    LinearDae *d = r->d;
    int rank = 0, row = 0, at = 0;
    for (int i = 0; i < d->n; i++)
        scale_row(d->e[i], d->a[i], d->n);
    for (; rank < d->n && find_pivot(r, rank, &row, &at); rank++) {
        int t = r->column[rank];
        r->column[rank] = r->column[at];
        r->column[at] = t;
        exchange(d->e[row], d->e[rank], d->n);
        exchange(d->a[row], d->a[rank], d->n);
        int column = r->column[rank];
        for (int i = 0; i < d->n; i++) {
            Long factor = i == rank ? 0 : d->e[i][column] / d->e[rank][column];
            if (factor == 0)
                continue;
            subtract(d->e[i], d->e[rank], factor, d->n);
            subtract(d->a[i], d->a[rank], factor, d->n);
            d->e[i][column] = 0;
        }
    }
    return rank;
}

/* Row i of E is zero: A says what holds; so does its derivative. */
static bool constrain(Reducer *r, int i)
{
    LinearDae *d = r->d;
    Long most = largest_of(d->a[i], d->n);
    if (most <= ZERO || r->n_constraints == 2 * LD_MOST)
        return false;
    r->doubtful |= most < SOME;
    scale_row(d->a[i], NULL, d->n);
    memcpy(r->constraint[r->n_constraints++], d->a[i], sizeof d->a[i]);
    memcpy(d->e[i], d->a[i], sizeof d->a[i]);
    memset(d->a[i], 0, sizeof d->a[i]);
    return true;
}

static LinearVerdict reduce(Reducer *r)
{
    for (int round = 0; round < INDEX; round++) {
        int rank = eliminate(r);
        if (r->doubtful)
            return LINEAR_DOUBTFUL;
        if (rank == r->d->n)
            return LINEAR_SOLVED;
        for (int i = rank; i < r->d->n; i++)
            if (!constrain(r, i))
                return r->doubtful ? LINEAR_DOUBTFUL : LINEAR_UNDETERMINED;
    }
    return LINEAR_UNDETERMINED;
}

/* ---- what the constraints leave free ---- */

/* dz/dt of variable column[i] is in row i of A, divided by the pivot: in order of the variables. */
static void sort_slopes(const Reducer *r, Long (*slope)[LD_MOST])
{
    const LinearDae *d = r->d;
    for (int i = 0; i < d->n; i++)
        for (int j = 0; j < d->n; j++)
            slope[r->column[i]][j] = d->a[i][j] / d->e[i][r->column[i]];
}

/* The constraints, eliminated: column[0 .. rank-1] follow from the others. */
static int solve_constraints(Reducer *r, int n)
{
    int rank = 0;
    for (int i = 0; i < n; i++)
        r->column[i] = i;
    for (; rank < r->n_constraints && rank < n; rank++) {
        int row = rank, at = rank;
        for (int i = rank; i < r->n_constraints; i++)
            for (int j = rank; j < n; j++)
                if (fabsl(r->constraint[i][r->column[j]]) >
                    fabsl(r->constraint[row][r->column[at]])) {
                    row = i;
                    at = j;
                }
        Long pivot = fabsl(r->constraint[row][r->column[at]]);
        r->doubtful |= pivot > ZERO && pivot < SOME;
        if (pivot <= ZERO)
            break;
        int t = r->column[rank];
        r->column[rank] = r->column[at];
        r->column[at] = t;
        exchange(r->constraint[row], r->constraint[rank], n);
        int column = r->column[rank];
        Long factor = 1 / r->constraint[rank][column];
        for (int j = 0; j < n; j++)
            r->constraint[rank][j] *= factor;
        for (int i = 0; i < r->n_constraints; i++)
            if (i != rank && r->constraint[i][column] != 0) {
                subtract(r->constraint[i], r->constraint[rank], r->constraint[i][column], n);
                r->constraint[i][column] = 0;
            }
    }
    return rank;
}

static bool choose_free(LinearMotion *motion, Reducer *r)
{
    int n = motion->n, rank = solve_constraints(r, n);
    motion->m = n - rank;
    if (motion->m > LD_FREE)
        return false;
    for (int k = 0; k < motion->m; k++) {
        motion->free[k] = r->column[rank + k];
        motion->from[motion->free[k]][k] = 1;
        for (int i = 0; i < rank; i++)
            motion->from[r->column[i]][k] = -r->constraint[i][motion->free[k]];
    }
    return true;
}

/* ---- the exponential ---- */

static void multiply(int m, Long (*a)[LD_FREE], Long (*b)[LD_FREE], Long (*product)[LD_FREE])
{
    for (int i = 0; i < m; i++) {
        for (int j = 0; j < m; j++)
            product[i][j] = 0;
        for (int k = 0; k < m; k++)
            for (int j = 0; a[i][k] != 0 && j < m; j++)
                product[i][j] += a[i][k] * b[k][j];
    }
}

/* exp(b) - 1 of a small b, by its series. */
static void exponential(int m, Long (*b)[LD_FREE], Long (*result)[LD_FREE])
{
    Long term[LD_FREE][LD_FREE], next[LD_FREE][LD_FREE];
    memcpy(term, b, sizeof term);
    memcpy(result, b, sizeof term);
    for (int k = 2; k < 14; k++) {
        multiply(m, term, b, next);
        for (int i = 0; i < m; i++)
            for (int j = 0; j < m; j++) {
                term[i][j] = next[i][j] / k;
                result[i][j] += term[i][j];
            }
    }
}

/* x - 1 is kept, not x, so that what is small next to 1 keeps its digits when it is squared. */
static bool make_moves(LinearFlow *flow)
{
    int m = flow->motion.m, last = LD_HALVINGS - 1;
    Long b[LD_FREE][LD_FREE] = {{0}}, norm = 0;
    for (int i = 0; i < m; i++) {
        Long sum = 0;
        for (int j = 0; j < m; j++) {
            b[i][j] = flow->motion.slope[i][j] * ldexpl(flow->step, -last);
            sum += fabsl(b[i][j]);
        }
        norm = fmaxl(norm, sum);
    }
    if (!(norm < 0.1L))
        return false;
    exponential(m, b, flow->move[last]);
    for (int k = last; k > 0; k--) {
        multiply(m, flow->move[k], flow->move[k], flow->move[k - 1]);
        for (int i = 0; i < m; i++)
            for (int j = 0; j < m; j++)
                flow->move[k - 1][i][j] += 2 * flow->move[k][i][j];
    }
    return true;
}

LinearVerdict linear_motion_make(LinearMotion *motion, LinearDae *dae)
{
    static Reducer r;
    static Long slope[LD_MOST][LD_MOST];
    memset(&r, 0, sizeof r);
    memset(motion, 0, sizeof *motion);
    r.d = dae;
    motion->n = dae->n;
    for (int i = 0; i < dae->n; i++)
        r.column[i] = i;
    LinearVerdict verdict = reduce(&r);
    if (verdict != LINEAR_SOLVED)
        return verdict;
    sort_slopes(&r, slope);
    if (!choose_free(motion, &r) || r.doubtful)
        return LINEAR_DOUBTFUL;
    for (int i = 0; i < motion->m; i++)
        for (int j = 0; j < motion->m; j++)
            for (int k = 0; k < motion->n; k++)
                motion->slope[i][j] += slope[motion->free[i]][k] * motion->from[k][j];
    return LINEAR_SOLVED;
}

LinearVerdict linear_flow_make(LinearFlow *flow, LinearDae *dae, Long step)
{
    LinearVerdict verdict = linear_motion_make(&flow->motion, dae);
    flow->step = step;
    return verdict != LINEAR_SOLVED || make_moves(flow) ? verdict : LINEAR_DOUBTFUL;
}

/* ---- use ---- */

/* One more row into a triangle of rows; false: it depends on those that are there, and `row` has
 * what is left of it, its right side last. */
static bool enter_row(int m, Long (*triangle)[LD_FREE + 1], bool *taken, Long *row)
{
    Long most = largest_of(row, m);
    if (most < ZERO) /* a constraint makes it zero, whatever moves */
        return false;
    for (int i = 0; i <= m; i++)
        row[i] /= most;
    for (int k = 0; k < m; k++) {
        if (taken[k] && row[k] != 0) {
            subtract(row, triangle[k], row[k], m + 1);
            row[k] = 0;
        }
    }
    int at = 0;
    for (int k = 0; k < m; k++)
        if (fabsl(row[k]) > fabsl(row[at]))
            at = k;
    if (fabsl(row[at]) < SOME)
        return false;
    Long pivot = row[at];
    for (int i = 0; i <= m; i++)
        row[i] /= pivot;
    for (int k = 0; k < m; k++)
        if (taken[k])
            subtract(triangle[k], row, triangle[k][at], m + 1);
    memcpy(triangle[at], row, sizeof triangle[at]);
    taken[at] = true;
    return true;
}

Long linear_motion_form(const LinearMotion *motion, const LinearForm *form, const Long *x)
{
    Long value = 0;
    for (int i = 0; i < form->n; i++)
        value += form->k[i] * linear_motion_value(motion, form->var[i], x);
    return value;
}

bool linear_motion_start(const LinearMotion *motion, int n_wanted, const LinearForm *form,
                         const Long *value, Long *x, Long *conflict)
{
    Long triangle[LD_FREE][LD_FREE + 1] = {{0}}, worst = 0;
    bool taken[LD_FREE] = {0};
    int found = 0;
    for (int i = 0; i < n_wanted; i++) {
        Long row[LD_FREE + 1] = {0};
        for (int k = 0; k < form[i].n; k++)
            subtract(row, motion->from[form[i].var[k]], -form[i].k[k], motion->m);
        row[motion->m] = value[i];
        if (enter_row(motion->m, triangle, taken, row))
            found++;
    }
    for (int k = 0; k < motion->m; k++)
        x[k] = triangle[k][motion->m];
    for (int i = 0; i < n_wanted; i++)
        worst = fmaxl(worst, fabsl(linear_motion_form(motion, &form[i], x) - value[i]) /
                                 fmaxl(1e-3L, largest_of(value, n_wanted)));
    *conflict = worst;
    return found == motion->m;
}

void linear_flow_move(const LinearFlow *flow, int halvings, Long *x)
{
    Long moved[LD_FREE];
    for (int i = 0; i < flow->motion.m; i++) {
        moved[i] = 0;
        for (int j = 0; j < flow->motion.m; j++)
            moved[i] += flow->move[halvings][i][j] * x[j];
    }
    for (int i = 0; i < flow->motion.m; i++)
        x[i] += moved[i];
}

void linear_motion_slope(const LinearMotion *motion, const Long *x, Long *slope)
{
    for (int i = 0; i < motion->m; i++) {
        slope[i] = 0;
        for (int j = 0; j < motion->m; j++)
            slope[i] += motion->slope[i][j] * x[j];
    }
}

Long linear_motion_value(const LinearMotion *motion, int var, const Long *x)
{
    Long value = 0;
    for (int j = 0; j < motion->m; j++)
        value += motion->from[var][j] * x[j];
    return value;
}
