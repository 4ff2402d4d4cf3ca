/* dense_rank.c: a matrix of any shape -> its rank, which rows follow from others, which columns are open. */
#include "numerics/dense_rank.h"

#include <math.h>

DenseRank dense_rank_open(Mem *mem, uint32_t m, uint32_t n)
{
    DenseRank r = {.m = m, .n = n};
    size_t sides = (size_t)m + n;
    r.a = mem_alloc(mem, ((size_t)m * sides + 2 * sides + 1) * sizeof *r.a);
    r.row_unit = r.a + (size_t)m * sides;
    r.column_unit = r.row_unit + m;
    r.row_weight = r.column_unit + n;
    r.column_weight = r.row_weight + m;
    r.row = mem_alloc(mem, (sides + 1) * sizeof *r.row);
    r.column = r.row + m;
    for (uint32_t i = 0; i < m; i++) {
        r.row[i] = i;
        r.row_weight[i] = 1;
    }
    for (uint32_t j = 0; j < n; j++) {
        r.column[j] = j;
        r.column_weight[j] = 1;
    }
    return r;
}

void dense_rank_close(Mem *mem, DenseRank *r)
{
    mem_free(mem, r->a);
    mem_free(mem, r->row);
}

static void scale_rows(DenseRank *r)
{
    for (uint32_t i = 0; i < r->m; i++) {
        double most = 0;
        for (uint32_t j = 0; j < r->n; j++)
            most = fmax(most, fabs(*dense_rank_at(r, i, j)));
        r->row_unit[i] = most > 0 ? most : 1;
        for (uint32_t j = 0; j < r->n; j++)
            *dense_rank_at(r, i, j) /= r->row_unit[i];
        *dense_rank_at(r, i, r->n + i) = 1;
    }
}

static void scale_columns(DenseRank *r)
{
    for (uint32_t j = 0; j < r->n; j++) {
        double most = 0;
        for (uint32_t i = 0; i < r->m; i++)
            most = fmax(most, fabs(*dense_rank_at(r, i, j)));
        r->column_unit[j] = most > 0 ? 1 / most : 1;
        for (uint32_t i = 0; i < r->m && most > 0; i++)
            *dense_rank_at(r, i, j) /= most;
    }
}

static void swap(uint32_t *list, uint32_t i, uint32_t k)
{
    uint32_t kept = list[i];
    list[i] = list[k];
    list[k] = kept;
}

/* Where the largest entry of each row is, by weights: looked for again only where the row has changed. */
typedef struct Best {
    double worth;   /* 0: all that is left of the row is rounding */
    uint32_t place; /* in the list of columns */
    bool known;
} Best;

static Best find_best(const DenseRank *r, uint32_t row, uint32_t k, double zero)
{
    Best best = {.known = true};
    for (uint32_t j = k; j < r->n; j++) {
        double size = fabs(*dense_rank_at(r, row, r->column[j]));
        double worth = size * r->row_weight[row] * r->column_weight[r->column[j]];
        if (size > zero && worth > best.worth) {
            best.worth = worth;
            best.place = j;
        }
    }
    return best;
}

/* The largest entry that is left, by weights, goes to place k; false when all of them are rounding. */
static bool place_pivot(DenseRank *r, Best *best, uint32_t k, double zero)
{
    uint32_t row = k;
    double most = 0;
    for (uint32_t i = k; i < r->m; i++) {
        Best *b = &best[r->row[i]];
        if (!b->known)
            *b = find_best(r, r->row[i], k, zero);
        if (b->worth > most) {
            most = b->worth;
            row = i;
        }
    }
    if (most == 0)
        return false;
    uint32_t column = best[r->row[row]].place;
    for (uint32_t i = k; i < r->m; i++) /* the column at place k goes elsewhere */
        if (best[r->row[i]].place == k)
            best[r->row[i]].known = false;
    swap(r->row, k, row);
    swap(r->column, k, column);
    return true;
}

/* Behind it the pivot is 1, and nothing else stands in its column. */
static void clear_column(DenseRank *r, Best *best, uint32_t *filled, uint32_t row, uint32_t column)
{
    double pivot = *dense_rank_at(r, row, column), *from = dense_rank_at(r, row, 0);
    uint32_t n = 0;
    for (uint32_t j = 0; j < r->n + r->m; j++) {
        from[j] /= pivot;
        if (from[j] != 0)
            filled[n++] = j;
    }
    for (uint32_t i = 0; i < r->m; i++) {
        double factor = *dense_rank_at(r, i, column), *to = dense_rank_at(r, i, 0);
        if (i == row || factor == 0)
            continue;
        for (uint32_t j = 0; j < n; j++)
            to[filled[j]] -= factor * from[filled[j]];
        to[column] = 0;
        best[i].known = false;
    }
}

void dense_rank_eliminate(Mem *mem, DenseRank *r, double zero)
{
    Best *best = mem_alloc(mem, ((size_t)r->m + 1) * sizeof *best);
    uint32_t *filled = mem_alloc(mem, ((size_t)r->n + r->m + 1) * sizeof *filled);
    scale_rows(r);
    scale_columns(r);
    uint32_t most = r->m < r->n ? r->m : r->n;
    r->least = 1;
    for (r->rank = 0; r->rank < most && place_pivot(r, best, r->rank, zero); r->rank++) {
        uint32_t row = r->row[r->rank], column = r->column[r->rank];
        r->least = fmin(r->least, fabs(*dense_rank_at(r, row, column)));
        clear_column(r, best, filled, row, column);
    }
    mem_free(mem, best);
    mem_free(mem, filled);
}

void dense_rank_rows(const DenseRank *r, uint32_t k, double *times)
{
    const double *from = dense_rank_at(r, r->row[k], r->n);
    double most = 0;
    for (uint32_t i = 0; i < r->m; i++)
        most = fmax(most, fabs(from[i]));
    for (uint32_t i = 0; i < r->m; i++)
        times[i] = most > 0 ? from[i] / most : 0;
}

void dense_rank_moves(const DenseRank *r, uint32_t k, double *moves)
{
    for (uint32_t j = 0; j < r->n; j++)
        moves[j] = 0;
    moves[r->column[k]] = 1;
    for (uint32_t p = 0; p < r->rank; p++)
        moves[r->column[p]] = -*dense_rank_at(r, r->row[p], r->column[k]);
}
