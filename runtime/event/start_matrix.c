/* start_matrix.c: derivatives of rows by columns -> independent rows, with a column each; their square matrix -> factors, solutions.
 *
 * Small systems, and those of which most entries are not 0, have dense factors. Others have sparse ones, by KLU; and the elimination that
 * finds independent rows passes over zeros, which changes no bit where all entries are finite.
 */
#include "numerics/dense_lu.h"
#include "runtime/event/start_int.h"

#include <math.h>
#include <string.h>

void start_make_room(Starts *s, Arena *arena)
{
    s->arena = arena;
    start_find_pattern(s, arena);
    s->unit = arena_alloc(arena, s->n_rows * sizeof *s->unit);
    for (uint32_t r = 0; r < s->n_rows; r++)
        s->unit[r] = 1;
    s->least = arena_alloc(arena, s->n_columns * sizeof *s->least);
    s->most = arena_alloc(arena, s->n_columns * sizeof *s->most);
    for (uint32_t c = 0; c < s->n_columns; c++)
        world_var_bounds(s->sim->world, s->column[c], &s->least[c], &s->most[c]);
    s->chosen_row = arena_alloc(arena, s->n_columns * sizeof *s->chosen_row);
    s->chosen_column = arena_alloc(arena, s->n_columns * sizeof *s->chosen_column);
    s->step = arena_alloc(arena, s->n_columns * sizeof *s->step);
    s->old = arena_alloc(arena, s->n_columns * sizeof *s->old);
    s->pivot = arena_alloc(arena, dense_lu_pivots(s->n_columns) * sizeof *s->pivot);
    s->place = arena_alloc(arena, (s->n_columns + 1) * sizeof *s->place);
    sparse_lu_open(&s->sparse.lu);
}

void start_make_matrix(Starts *s)
{
    size_t size = (size_t)s->n_rows * s->n_columns, room = dense_lu_room(s->n_columns);
    if (s->matrix)
        return;
    s->matrix = arena_alloc(s->arena, size * sizeof *s->matrix);
    s->factor = arena_alloc(s->arena, size * sizeof *s->factor);
    s->system = arena_alloc(s->arena, (size > room ? size : room) * sizeof *s->system);
}

void start_close(Starts *s)
{
    sparse_lu_forget(&s->sparse.lu);
    vec_free(s->sim->mem, &s->sparse.first);
    vec_free(s->sim->mem, &s->sparse.row);
    vec_free(s->sim->mem, &s->sparse.value);
}

/* ---- independent rows ---- */

/* The column of the largest entry; parameters first, because states have start values or 0. */
static uint32_t best_column(const Starts *s, const double *row)
{
    static const double ENOUGH = 1e-3;
    uint32_t best = 0, first = s->n_columns - s->n_params, param = first;
    for (uint32_t c = 0; c < s->n_columns; c++) {
        if (fabs(row[c]) > fabs(row[best]))
            best = c;
        if (c > first && fabs(row[c]) > fabs(row[param]))
            param = c;
    }
    return s->n_params && fabs(row[param]) > ENOUGH * fabs(row[best]) ? param : best;
}

/* The columns in which chosen rows are not 0, one row behind the other. */
typedef struct Filled {
    VEC(uint32_t) at;
    uint32_t *first; /* [n + 1] */
} Filled;

static void note_filled(const Starts *s, Filled *filled, const double *row)
{
    for (uint32_t c = 0; c < s->n_columns; c++)
        if (row[c] != 0)
            vec_push(s->sim->mem, &filled->at, c);
    filled->first[s->n] = filled->at.n;
}

/* Takes the rows that were chosen away from row r. */
static void eliminate(Starts *s, uint32_t r, const Filled *filled)
{
    uint32_t m = s->n_columns;
    double *row = s->system + (size_t)r * m;
    for (uint32_t k = 0; k < s->n; k++) {
        const double *up = s->system + (size_t)s->chosen_row[k] * m;
        double factor = row[s->chosen_column[k]] / up[s->chosen_column[k]];
        s->factor[(size_t)r * m + k] = factor;
        if (factor == 0)
            continue;
        for (uint32_t i = filled->first[k]; i < filled->first[k + 1]; i++)
            row[filled->at.at[i]] -= factor * up[filled->at.at[i]];
        for (uint32_t c = 0; c < m && !isfinite(factor); c++)
            row[c] -= factor * 0; /* what is no number spreads */
        row[s->chosen_column[k]] = 0;
    }
}

void start_eliminate(Starts *s, double of_conditions, double of_starts)
{
    uint32_t m = s->n_columns;
    Filled filled = {.first = mem_alloc(s->sim->mem, (m + 1) * sizeof *filled.first)};
    memcpy(s->system, s->matrix, (size_t)s->n_rows * m * sizeof *s->system);
    s->n = 0;
    for (uint32_t r = 0; r < s->n_rows; r++) {
        double *row = s->system + (size_t)r * m, before = 0,
               least = r < s->n_conditions ? of_conditions : of_starts;
        for (uint32_t c = 0; c < m; c++)
            before = fmax(before, fabs(row[c]));
        eliminate(s, r, &filled);
        uint32_t best = best_column(s, row);
        if (s->n == m || !(fabs(row[best]) > least * before))
            continue;
        s->chosen_row[s->n] = r;
        s->chosen_column[s->n++] = best;
        note_filled(s, &filled, row);
    }
    vec_free(s->sim->mem, &filled.at);
    mem_free(s->sim->mem, filled.first);
}

/* ---- factors ---- */

enum { DENSE = 64, FULL = 8 }; /* unknowns; one entry of so many is not 0 */

static double entry_of(const Starts *s, uint32_t i, uint32_t k)
{
    return s->matrix[(size_t)s->chosen_row[i] * s->n_columns + s->chosen_column[k]];
}

static bool factor_dense(Starts *s)
{
    for (uint32_t i = 0; i < s->n; i++)
        for (uint32_t k = 0; k < s->n; k++)
            s->system[(size_t)i * s->n + k] = entry_of(s, i, k);
    return dense_lu_factor(s->n, s->system, s->pivot);
}

static uint32_t count_entries(const Starts *s)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < s->n; i++)
        n += s->pattern.row[s->chosen_row[i]].n;
    return n;
}

static void make_places(Starts *s, uint32_t entries)
{
    Mem *mem = s->sim->mem;
    vec_reserve(mem, &s->sparse.first, s->n + 2);
    vec_reserve(mem, &s->sparse.row, entries + 1);
    vec_reserve(mem, &s->sparse.value, entries + 1);
    memset(s->sparse.first.at, 0, (s->n + 2) * sizeof *s->sparse.first.at);
    memset(s->place, 0, s->n_columns * sizeof *s->place);
    for (uint32_t k = 0; k < s->n; k++)
        s->place[s->chosen_column[k]] = k + 1;
}

/* Row i into compressed columns: first[k + 1] is where column k goes on. */
static void compress_row(Starts *s, uint32_t i)
{
    const StartColumns *columns = &s->pattern.row[s->chosen_row[i]];
    for (uint32_t e = 0; e < columns->n; e++) {
        uint32_t k = s->place[columns->at[e]];
        if (!k)
            continue;
        int at = s->sparse.first.at[k]++;
        s->sparse.row.at[at] = (int)i;
        s->sparse.value.at[at] = entry_of(s, i, k - 1);
    }
}

static void compress(Starts *s)
{
    make_places(s, count_entries(s));
    int *first = s->sparse.first.at;
    for (uint32_t i = 0; i < s->n; i++) {
        const StartColumns *columns = &s->pattern.row[s->chosen_row[i]];
        for (uint32_t e = 0; e < columns->n; e++)
            if (s->place[columns->at[e]])
                first[s->place[columns->at[e]] + 1]++;
    }
    for (uint32_t k = 1; k <= s->n; k++)
        first[k + 1] += first[k];
    for (uint32_t i = 0; i < s->n; i++)
        compress_row(s, i);
}

static bool factor_sparse(Starts *s)
{
    compress(s);
    for (int i = 0; i < s->sparse.first.at[s->n]; i++)
        if (!isfinite(s->sparse.value.at[i]))
            return false;
    sparse_lu_forget(&s->sparse.lu); /* other rows may have been chosen */
    return sparse_lu_factor(&s->sparse.lu, s->sim->mem, s->n, s->sparse.first.at, s->sparse.row.at,
                            s->sparse.value.at) == 0;
}

bool start_factor(Starts *s)
{
    s->sparse.is = s->n > DENSE && (size_t)count_entries(s) * FULL < (size_t)s->n * s->n;
    return s->sparse.is ? factor_sparse(s) : factor_dense(s);
}

void start_solve_linear(Starts *s, double *b)
{
    if (!s->sparse.is)
        dense_lu_solve(s->n, s->system, s->pivot, b);
    else if (sparse_lu_solve(&s->sparse.lu, s->n, b) != 0)
        b[0] = NAN;
}
