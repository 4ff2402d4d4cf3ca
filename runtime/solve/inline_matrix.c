/* inline_matrix.c: see inline_matrix.h. */
#include "runtime/solve/inline_matrix.h"

#include "numerics/dense_lu.h"
#include "runtime/solve/sparse_lu.h"

#include <math.h>
#include <string.h>

struct InlineMatrix {
    Mem *mem;
    uint32_t n, sweeps;
    double *dense; /* dense_lu_room(n), NULL: it is sparse */
    uint32_t *pivot;
    int *first, *row; /* compressed columns */
    uint32_t *colour; /* [n] of columns */
    double *value;
    SparseLu lu;
};

/* ---- sparse: columns of one colour have no row in common ---- */

static void compress(InlineMatrix *m, Arena *arena, const InlinePattern *pattern)
{
    uint32_t n = m->n, entries = pattern->first[n];
    m->first = arena_alloc(arena, (n + 2) * sizeof *m->first);
    m->row = arena_alloc(arena, (entries + 1) * sizeof *m->row);
    m->value = arena_alloc(arena, (entries + 1) * sizeof *m->value);
    memset(m->first, 0, (n + 2) * sizeof *m->first);
    for (uint32_t k = 0; k < entries; k++)
        m->first[pattern->column[k] + 2]++;
    for (uint32_t j = 1; j <= n; j++)
        m->first[j + 1] += m->first[j];
    for (uint32_t i = 0; i < n; i++) /* first[j + 1] is where column j goes on */
        for (uint32_t k = pattern->first[i]; k < pattern->first[i + 1]; k++)
            m->row[m->first[pattern->column[k] + 1]++] = (int)i;
}

static void colour(InlineMatrix *m, Arena *arena, const InlinePattern *pattern)
{
    uint32_t n = m->n;
    m->colour = arena_alloc(arena, n * sizeof *m->colour);
    uint32_t *taken = mem_alloc(m->mem, (n + 1) * sizeof *taken); /* [colour]: by column + 1 */
    for (uint32_t j = 0; j < n; j++)
        m->colour[j] = UINT32_MAX;
    for (uint32_t j = 0; j < n; j++) {
        uint32_t mine = 0;
        for (int k = m->first[j]; k < m->first[j + 1]; k++)
            for (uint32_t e = pattern->first[m->row[k]]; e < pattern->first[m->row[k] + 1]; e++)
                if (m->colour[pattern->column[e]] != UINT32_MAX)
                    taken[m->colour[pattern->column[e]]] = j + 1;
        while (taken[mine] == j + 1)
            mine++;
        m->colour[j] = mine;
        m->sweeps = mine + 1 > m->sweeps ? mine + 1 : m->sweeps;
    }
    mem_free(m->mem, taken);
}

/* ---- both ---- */

InlineMatrix *inline_matrix_open(Mem *mem, Arena *arena, uint32_t n, const InlinePattern *pattern)
{
    InlineMatrix *m = arena_alloc(arena, sizeof *m);
    *m = (InlineMatrix){.mem = mem, .n = n, .sweeps = n};
    if (!pattern) {
        m->dense = arena_alloc(arena, dense_lu_room(n) * sizeof *m->dense);
        m->pivot = arena_alloc(arena, dense_lu_pivots(n) * sizeof *m->pivot);
        return m;
    }
    m->sweeps = 0;
    compress(m, arena, pattern);
    colour(m, arena, pattern);
    sparse_lu_open(&m->lu);
    return m;
}

void inline_matrix_forget(InlineMatrix *matrix)
{
    if (!matrix->dense)
        sparse_lu_forget(&matrix->lu);
}

void inline_matrix_close(InlineMatrix *matrix)
{
    if (matrix)
        inline_matrix_forget(matrix);
}

uint32_t inline_matrix_sweeps(const InlineMatrix *matrix)
{
    return matrix->sweeps;
}

uint32_t inline_matrix_sweep_of(const InlineMatrix *matrix, uint32_t column)
{
    return matrix->dense ? column : matrix->colour[column];
}

void inline_matrix_take(InlineMatrix *matrix, uint32_t sweep, const double *tangent,
                        const uint32_t *residuals)
{
    uint32_t n = matrix->n;
    for (uint32_t i = 0; matrix->dense && i < n; i++)
        matrix->dense[(size_t)i * n + sweep] = tangent[residuals[i]];
    for (uint32_t j = 0; !matrix->dense && j < n; j++)
        for (int k = matrix->first[j]; matrix->colour[j] == sweep && k < matrix->first[j + 1]; k++)
            matrix->value[k] = tangent[residuals[matrix->row[k]]];
}

bool inline_matrix_factor(InlineMatrix *matrix)
{
    uint32_t n = matrix->n;
    if (matrix->dense)
        return dense_lu_factor(n, matrix->dense, matrix->pivot);
    for (int k = 0; k < matrix->first[n]; k++)
        if (!isfinite(matrix->value[k]))
            return false;
    return sparse_lu_factor(&matrix->lu, matrix->mem, n, matrix->first, matrix->row,
                            matrix->value) == 0;
}

void inline_matrix_solve(InlineMatrix *matrix, double *b)
{
    if (matrix->dense)
        dense_lu_solve(matrix->n, matrix->dense, matrix->pivot, b);
    else if (sparse_lu_solve(&matrix->lu, matrix->n, b) != 0)
        b[0] = NAN;
}
