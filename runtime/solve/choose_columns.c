/* choose_columns.c: a wide matrix -> columns that make a well-conditioned square one.
 *
 * The rows are equations between small changes: A x + B y = 0 with x the chosen columns. The choice
 * is good if A can be solved for x, and if x then moves not much more than y: the entries of inv(A)
 * B are bounded. Exchanging a chosen column for another multiplies det A by their entry (Goreinov
 * and others, How to find a good submatrix, 2010), so exchanging them as long as one is large ends,
 * and each exchange makes the volume larger.
 *
 *   1. Columns that belong to A in any case are eliminated, sparse, with pivots that are large in
 * their column and lie in short rows. What is left is a dense matrix over the others.
 *   2. The columns chosen now are eliminated by complete pivoting, as far as their pivots are not
 * 0; rows that are left take their pivots from the other columns. Of pivots about equally large,
 *      the column of the largest rank is taken. Columns that should be left out come last.
 *   3. Now the matrix is inv(A) B: exchanges, the worst one first.
 *
 * Rows that are combinations of others say nothing: for each of them one of the columns chosen
 * before stays.
 */
#include "runtime/solve/choose_columns.h"

#include "base/vec.h"

#include <math.h>
#include <string.h>

static const double NOTHING = 1e-9;    /* of a row whose largest entry was 1 */
static const double ALIKE = 0.1;       /* of the largest pivot */
static const double CANCELLED = 1e-13; /* of the terms of a difference */

enum { MOST_CELLS = 2000000 };

typedef struct SparseRow {
    uint32_t n;
    ColumnEntry *at;
    bool done;
} SparseRow;

typedef struct Chooser {
    const ColumnChoice *choice;
    Mem *mem;
    Arena arena;
    SparseRow *row;
    VEC(uint32_t) * rows_of; /* [n_columns]: of fixed columns: rows that have or had an entry */
    double *work;            /* [n_columns]: a row being made */
    uint32_t *stamp, now;    /* [n_columns]: == now: in it */
    uint32_t n, m;           /* of the dense matrix: rows, columns */
    uint32_t *column;        /* [m]: of the whole matrix */
    double *cell;            /* [n][m] */
    uint32_t *pivot;         /* [n]: dense column + 1, 0: none yet */
    bool *taken;             /* [m]: is a pivot */
} Chooser;

/* ---- 1: fixed columns ---- */

static void load_rows(Chooser *c)
{
    const ColumnChoice *in = c->choice;
    c->row = arena_alloc(&c->arena, (in->n_rows + 1) * sizeof *c->row);
    c->rows_of = arena_alloc(&c->arena, in->n_columns * sizeof *c->rows_of);
    c->work = arena_alloc(&c->arena, in->n_columns * sizeof *c->work);
    c->stamp = arena_alloc(&c->arena, in->n_columns * sizeof *c->stamp);
    for (uint32_t i = 0; i < in->n_rows; i++) {
        uint32_t n = in->first[i + 1] - in->first[i];
        c->row[i] = (SparseRow){.at = arena_alloc(&c->arena, (n + 1) * sizeof(ColumnEntry))};
        for (uint32_t k = in->first[i]; k < in->first[i + 1]; k++) {
            if (in->entry[k].value == 0)
                continue;
            c->row[i].at[c->row[i].n++] = in->entry[k];
            if (in->fixed[in->entry[k].column])
                vec_push(c->mem, &c->rows_of[in->entry[k].column], i);
        }
    }
}

static double entry_of(const SparseRow *row, uint32_t column)
{
    for (uint32_t k = 0; k < row->n; k++)
        if (row->at[k].column == column)
            return row->at[k].value;
    return 0;
}

/* The row to eliminate the column with, or n_rows. */
static uint32_t pivot_row(const Chooser *c, uint32_t column)
{
    double most = 0;
    uint32_t best = c->choice->n_rows;
    for (uint32_t k = 0; k < c->rows_of[column].n; k++) {
        const SparseRow *row = &c->row[c->rows_of[column].at[k]];
        if (!row->done)
            most = fmax(most, fabs(entry_of(row, column)));
    }
    for (uint32_t k = 0; most > 0 && k < c->rows_of[column].n; k++) {
        uint32_t i = c->rows_of[column].at[k];
        if (!c->row[i].done && fabs(entry_of(&c->row[i], column)) >= ALIKE * most &&
            (best == c->choice->n_rows || c->row[i].n < c->row[best].n))
            best = i;
    }
    return best;
}

/* Row i less `factor` times row p, without `column`. What is left of a difference that cancels is
 * rounding. */
static void subtract(Chooser *c, uint32_t i, uint32_t p, double factor, uint32_t column)
{
    SparseRow *row = &c->row[i], *by = &c->row[p];
    ColumnEntry *at = arena_alloc(&c->arena, (row->n + by->n) * sizeof *at);
    uint32_t n = 0;
    c->now++;
    for (uint32_t k = 0; k < by->n; k++) {
        c->stamp[by->at[k].column] = c->now;
        c->work[by->at[k].column] = factor * by->at[k].value;
    }
    for (uint32_t k = 0; k < row->n; k++) {
        uint32_t j = row->at[k].column;
        double value = row->at[k].value;
        if (c->stamp[j] == c->now) {
            double term = c->work[j], size = fabs(value) + fabs(term);
            c->stamp[j] = 0;
            value -= term;
            if (fabs(value) <= CANCELLED * size)
                value = 0;
        }
        if (j != column && value != 0)
            at[n++] = (ColumnEntry){j, value};
    }
    for (uint32_t k = 0; k < by->n; k++) {
        uint32_t j = by->at[k].column;
        if (j == column || c->stamp[j] != c->now)
            continue;
        at[n++] = (ColumnEntry){j, -c->work[j]};
        if (c->choice->fixed[j])
            vec_push(c->mem, &c->rows_of[j], i);
    }
    row->at = at;
    row->n = n;
}

static bool eliminate(Chooser *c, uint32_t column)
{
    uint32_t p = pivot_row(c, column);
    if (p == c->choice->n_rows)
        return false;
    double pivot = entry_of(&c->row[p], column);
    c->row[p].done = true;
    for (uint32_t k = 0; k < c->rows_of[column].n; k++) {
        uint32_t i = c->rows_of[column].at[k];
        double value = c->row[i].done ? 0 : entry_of(&c->row[i], column);
        if (value != 0)
            subtract(c, i, p, value / pivot, column);
    }
    return true;
}

/* Columns that few rows have go first. */
static bool eliminate_fixed(Chooser *c)
{
    const ColumnChoice *in = c->choice;
    bool *gone = arena_alloc(&c->arena, in->n_columns);
    for (;;) {
        uint32_t best = in->n_columns;
        for (uint32_t j = 0; j < in->n_columns; j++)
            if (in->fixed[j] && !gone[j] &&
                (best == in->n_columns || c->rows_of[j].n < c->rows_of[best].n))
                best = j;
        if (best == in->n_columns)
            return true;
        if (!eliminate(c, best))
            return false;
        gone[best] = true;
    }
}

/* ---- 2: the others, dense ---- */

static double *cell(const Chooser *c, uint32_t i, uint32_t j)
{
    return &c->cell[(size_t)i * c->m + j];
}

static void fill_row(Chooser *c, const SparseRow *row, const uint32_t *place)
{
    double most = 0;
    for (uint32_t k = 0; k < row->n; k++)
        most = fmax(most, fabs(row->at[k].value));
    for (uint32_t k = 0; most > 0 && k < row->n; k++)
        *cell(c, c->n, place[row->at[k].column]) = row->at[k].value / most;
    c->n++;
}

static bool fill_cells(Chooser *c)
{
    const ColumnChoice *in = c->choice;
    uint32_t *place = arena_alloc(&c->arena, in->n_columns * sizeof *place), rows = 0;
    c->column = arena_alloc(&c->arena, in->n_columns * sizeof *c->column);
    for (uint32_t j = 0; j < in->n_columns; j++)
        if (!in->fixed[j]) {
            place[j] = c->m;
            c->column[c->m++] = j;
        }
    for (uint32_t i = 0; i < in->n_rows; i++)
        rows += !c->row[i].done;
    if (!rows || rows > c->m || (uint64_t)rows * c->m > MOST_CELLS)
        return false;
    c->cell = arena_alloc(&c->arena, (size_t)rows * c->m * sizeof *c->cell);
    c->pivot = arena_alloc(&c->arena, rows * sizeof *c->pivot);
    c->taken = arena_alloc(&c->arena, c->m);
    for (uint32_t i = 0; i < in->n_rows; i++)
        if (!c->row[i].done)
            fill_row(c, &c->row[i], place);
    return true;
}

/* Gauss and Jordan: the column becomes a unit vector. */
static void turn(Chooser *c, uint32_t i, uint32_t j)
{
    double pivot = *cell(c, i, j);
    for (uint32_t k = 0; k < c->m; k++)
        *cell(c, i, k) /= pivot;
    for (uint32_t r = 0; r < c->n; r++) {
        double factor = *cell(c, r, j);
        if (r == i || factor == 0)
            continue;
        for (uint32_t k = 0; k < c->m; k++)
            *cell(c, r, k) -= factor * *cell(c, i, k);
        *cell(c, r, j) = 0;
    }
    if (c->pivot[i])
        c->taken[c->pivot[i] - 1] = false;
    c->pivot[i] = j + 1;
    c->taken[j] = true;
}

static uint32_t best_row(const Chooser *c, uint32_t j)
{
    uint32_t best = c->n;
    for (uint32_t i = 0; i < c->n; i++)
        if (!c->pivot[i] && (best == c->n || fabs(*cell(c, i, j)) > fabs(*cell(c, best, j))))
            best = i;
    return best;
}

/* One more pivot in the columns that are chosen now, or in the others, of those that should be left out or of the rest; false:
 * there is none. */
static bool take_pivot(Chooser *c, bool out, bool chosen)
{
    const ColumnChoice *in = c->choice;
    double most = NOTHING;
    uint32_t best = c->m;
    for (int pass = 0; pass < 2; pass++)
        for (uint32_t j = 0; j < c->m; j++) {
            if (c->taken[j] || in->chosen[c->column[j]] != chosen ||
                (in->rank[c->column[j]] < in->out) != out)
                continue;
            uint32_t i = best_row(c, j);
            double size = i < c->n ? fabs(*cell(c, i, j)) : 0;
            if (pass == 0)
                most = fmax(most, size);
            else if (size >= ALIKE * most && size > NOTHING &&
                     (best == c->m || in->rank[c->column[j]] > in->rank[c->column[best]]))
                best = j;
        }
    if (best == c->m)
        return false;
    turn(c, best_row(c, best), best);
    return true;
}

/* ---- 3: exchanges ---- */

static bool exchange(Chooser *c)
{
    double worst = 1;
    uint32_t row = 0, column = c->m;
    for (uint32_t j = 0; j < c->m; j++)
        for (uint32_t i = 0; i < c->n && !c->taken[j]; i++) {
            double size = fabs(*cell(c, i, j)) / c->choice->far[c->column[j]];
            if (c->pivot[i])
                size /= c->choice->back[c->column[c->pivot[i] - 1]];
            if (c->pivot[i] && size > worst) {
                worst = size;
                row = i;
                column = j;
            }
        }
    if (column == c->m)
        return false;
    turn(c, row, column);
    return true;
}

/* ---- the whole ---- */

/* The pivots, and for rows without one a column that was chosen before: that of the largest rank.
 */
static bool write_choice(Chooser *c, ColumnChoice *out)
{
    bool changed = false;
    for (uint32_t i = 0; i < c->n; i++) {
        uint32_t best = c->m;
        for (uint32_t j = 0; j < c->m && !c->pivot[i]; j++)
            if (!c->taken[j] && out->chosen[c->column[j]] &&
                (best == c->m || out->rank[c->column[j]] > out->rank[c->column[best]]))
                best = j;
        if (best < c->m) {
            c->pivot[i] = best + 1;
            c->taken[best] = true;
        }
    }
    for (uint32_t j = 0; j < c->m; j++) {
        changed |= out->chosen[c->column[j]] != c->taken[j];
        out->chosen[c->column[j]] = c->taken[j];
    }
    return changed;
}

static bool choose(Chooser *c, ColumnChoice *choice)
{
    load_rows(c);
    if (!eliminate_fixed(c) || !fill_cells(c))
        return false;
    for (int out = 0; out < 2; out++)
        for (int chosen = 1; chosen >= 0; chosen--)
            while (take_pivot(c, out, chosen))
                ;
    for (uint32_t i = 0; i < 4 * c->n + 8 && exchange(c); i++)
        ;
    return write_choice(c, choice);
}

bool choose_columns(Mem *mem, ColumnChoice *choice)
{
    Chooser c = {.choice = choice, .mem = mem};
    arena_init(&c.arena, mem);
    bool changed = choose(&c, choice);
    for (uint32_t j = 0; c.rows_of && j < choice->n_columns; j++)
        vec_free(mem, &c.rows_of[j]);
    arena_free(&c.arena);
    return changed;
}
