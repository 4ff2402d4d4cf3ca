/* start_parts.c: conditions and what they may move -> of which there are too many, and what they leave open.
 *
 * The coarse decomposition of Dulmage and Mendelsohn (ddp/diagnose.c), by ranks of derivatives instead of by a matching. A condition is in
 * the overdetermined part if it can be left out and no rank is lost: some sum of conditions vanishes in which it occurs. A column is
 * in the underdetermined part if it can move and no row notices. Where the derivatives are any numbers these are the parts of the
 * structure; where they are special (x + y = 1, x + y = 2, 2*x + 2*y = 3) the ranks still tell the truth. Each part is split into sets that
 * share nothing: a set loses its contradiction, or its freedom, by itself.
 */
#include "numerics/dense_rank.h"
#include "runtime/event/start_int.h"

#include <math.h>
#include <string.h>

static const double NOTHING = 1e-9; /* in units of rows and columns */

static uint32_t first_of(uint32_t *of, uint32_t i)
{
    while (of[i] != i)
        i = of[i] = of[of[i]];
    return i;
}

/* Members that occur together in one of the vectors belong together. */
static void unite(uint32_t *of, bool *in, const double *vector, uint32_t n)
{
    uint32_t first = n;
    for (uint32_t i = 0; i < n; i++) {
        if (fabs(vector[i]) <= NOTHING)
            continue;
        in[i] = true;
        if (first == n)
            first = first_of(of, i);
        of[first_of(of, i)] = first;
    }
}

/* From the first of each set to numbers 1, 2, ... in the order of their first members. */
static void number(StartSets *sets, uint32_t *of, const bool *in, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        uint32_t first = first_of(of, i);
        if (!in[i])
            continue;
        for (uint32_t k = 0; k < i && !sets->of[i]; k++)
            if (in[k] && first_of(of, k) == first)
                sets->of[i] = sets->of[k];
        if (!sets->of[i])
            sets->of[i] = ++sets->n;
    }
}

typedef void Vector(const DenseRank *r, uint32_t k, double *to);

static StartSets sets_of(Arena *arena, const DenseRank *r, uint32_t n, Vector *vector)
{
    StartSets sets = {.of = arena_alloc(arena, (n + 1) * sizeof *sets.of),
                      .excess = arena_alloc(arena, (n + 1) * sizeof *sets.excess)};
    uint32_t *of = arena_alloc(arena, (n + 1) * sizeof *of);
    bool *in = arena_alloc(arena, n + 1);
    double *v = arena_alloc(arena, (n + 1) * sizeof *v);
    for (uint32_t i = 0; i < n; i++)
        of[i] = i;
    for (uint32_t k = r->rank; k < n; k++) {
        vector(r, k, v);
        unite(of, in, v, n);
    }
    number(&sets, of, in, n);
    for (uint32_t k = r->rank; k < n; k++)
        sets.excess[sets.of[vector == dense_rank_rows ? r->row[k] : r->column[k]]]++;
    return sets;
}

static DenseRank rank_of(const Starts *s, uint32_t n_rows, const bool *held)
{
    uint32_t m = s->n_columns;
    DenseRank r = dense_rank_open(s->sim->mem, n_rows + (held ? m : 0), m);
    for (uint32_t i = 0; i < n_rows; i++)
        memcpy(dense_rank_at(&r, i, 0), s->matrix + (size_t)i * m, m * sizeof *s->matrix);
    for (uint32_t c = 0; c < m && held; c++)
        *dense_rank_at(&r, n_rows + c, c) = held[c];
    dense_rank_eliminate(s->sim->mem, &r, NOTHING);
    return r;
}

StartSets start_sets_over(const Starts *s, Arena *arena)
{
    DenseRank r = rank_of(s, s->n_conditions, NULL);
    StartSets sets = sets_of(arena, &r, s->n_conditions, dense_rank_rows);
    dense_rank_close(s->sim->mem, &r);
    return sets;
}

StartSets start_sets_open(const Starts *s, const bool *held, Arena *arena)
{
    DenseRank r = rank_of(s, s->n_rows, held);
    StartSets sets = sets_of(arena, &r, s->n_columns, dense_rank_moves);
    dense_rank_close(s->sim->mem, &r);
    return sets;
}

/* ---- derivatives where they are any numbers ---- */

/* Near the present point; near the start values; further away from them: where it came to may be far off, and there large terms hide others. */
enum { POINTS = 3 };

static double point(const Starts *s, uint32_t attempt, uint32_t column, double present)
{
    double base = attempt ? 0 : present,
           any = fmod(0.6180339887498949 * (column + 1) + 0.37 * attempt, 1);
    for (uint32_t r = s->n_conditions; r < s->n_rows && attempt; r++)
        if (s->row[r].var == s->column[column])
            base = s->sim->value[s->row[r].start->start];
    return base + (attempt == 2 ? 1 : 0.01 * (attempt + 1)) * (1 + fabs(base)) * (0.5 + any);
}

static bool fill_at(Starts *s, uint32_t attempt, const double *present)
{
    for (uint32_t c = 0; c < s->n_columns; c++)
        start_set(s, c, point(s, attempt, c, present[c]));
    if (!start_evaluate(s))
        return false;
    start_fill(s);
    for (size_t i = 0; i < (size_t)s->n_rows * s->n_columns; i++)
        if (!isfinite(s->matrix[i]))
            return false;
    return true;
}

void start_fill_anywhere(Starts *s, Arena *arena)
{
    size_t size = (size_t)s->n_rows * s->n_columns * sizeof *s->matrix;
    double *best = arena_alloc(arena, size + 1);
    double *present = arena_alloc(arena, (s->n_columns + 1) * sizeof *present);
    uint32_t most = 0;
    start_make_matrix(s);
    for (uint32_t c = 0; c < s->n_columns; c++)
        present[c] = s->sim->value[s->column[c]];
    for (uint32_t attempt = 0; attempt < POINTS; attempt++) {
        if (!fill_at(s, attempt, present))
            continue;
        DenseRank r = rank_of(s, s->n_conditions, NULL);
        if (r.rank >= most)
            memcpy(best, s->matrix, size);
        most = r.rank > most ? r.rank : most;
        dense_rank_close(s->sim->mem, &r);
    }
    memcpy(s->matrix, best, size);
}
