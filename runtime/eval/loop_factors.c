/* loop_factors.c: derivatives of the sparse system of a loop -> its factors, by KLU, and what the next ones begin with.
 *
 * Rows are placed so that large entries lie on the diagonal, and the order of elimination is analysed, with the first derivatives; pivots
 * are kept while they stay good. So factors depend on those that came before. Who asks for some in between must not matter:
 * loop_factors_note() and loop_factors_put().
 */
#include "runtime/eval/loop_whole_int.h"

#include "numerics/scale.h"
#include "numerics/sparse_place.h"

#include <math.h>
#include <string.h>

static void set_defaults(LoopWhole *w)
{
    klu_defaults(&w->common);
    w->common.btf = 0; /* a loop is one block, and the rows have their places */
    w->common.scale = 0;
}

/* The numbers of the factors change, or go. */
static void forget_fast(Sim *sim, LoopWhole *w)
{
    sparse_solve_close(sim->mem, w->fast);
    w->fast = NULL;
    w->solves = 0;
}

static void free_numeric(Sim *sim, LoopWhole *w)
{
    forget_fast(sim, w);
    if (w->numeric)
        klu_free_numeric(&w->numeric, &w->common);
}

static void free_noted(LoopWhole *w)
{
    if (w->noted)
        klu_free_numeric(&w->noted, &w->common);
}

void loop_factors_forget(Sim *sim, LoopWhole *w)
{
    free_numeric(sim, w);
    free_noted(w);
    if (w->symbolic)
        klu_free_symbolic(&w->symbolic, &w->common);
    set_defaults(w);
    w->first_factors = w->returned = false;
    w->noted_anew = true;
}

static void place_rows(Sim *sim, LoopWhole *w, const double *scale)
{
    uint32_t count = w->first[w->n];
    int *column = mem_alloc(sim->mem, count * sizeof *column);
    double *value = mem_alloc(sim->mem, count * sizeof *value);
    for (uint32_t k = 0; k < count; k++) {
        column[k] = w->entry[k].column;
        value[k] = w->value[w->entry[k].at];
    }
    sparse_place(sim->mem, &(SparseRows){w->n, w->first, column, value, scale}, w->place);
    for (uint32_t i = 0; i < w->n; i++)
        for (uint32_t k = w->first[i]; k < w->first[i + 1]; k++)
            w->row[w->entry[k].at] = w->place[i];
    mem_free(sim->mem, column);
    mem_free(sim->mem, value);
}

/* ---- factors ---- */

static void scale_values(LoopWhole *w)
{
    for (uint32_t i = 0; i < w->n; i++) {
        double most = 0;
        for (uint32_t k = w->first[i]; k < w->first[i + 1]; k++)
            most = larger(most, fabs(w->value[w->entry[k].at]));
        w->row_scale[i] = scale_for(most);
        for (uint32_t k = w->first[i]; k < w->first[i + 1]; k++)
            w->scaled[w->entry[k].at] = w->value[w->entry[k].at] * w->row_scale[i];
    }
    for (uint32_t c = 0; c < w->n; c++) {
        double most = 0;
        for (int k = w->column[c]; k < w->column[c + 1]; k++)
            most = larger(most, fabs(w->scaled[k]));
        w->column_scale[c] = scale_for(most);
        for (int k = w->column[c]; k < w->column[c + 1]; k++)
            w->scaled[k] *= w->column_scale[c];
    }
}

static bool refactor(Sim *sim, LoopWhole *w)
{
    forget_fast(sim, w);
    if (!w->numeric ||
        !klu_refactor(w->column, w->row, w->scaled, w->symbolic, w->numeric, &w->common))
        return false;
    klu_rgrowth(w->column, w->row, w->scaled, w->symbolic, w->numeric, &w->common);
    klu_rcond(w->symbolic, w->numeric, &w->common);
    return w->common.rgrowth > 1e-6 && w->common.rcond > 1e-13;
}

/* The diagonal of U tells at once of most matrices that they are far from it. */
static bool is_singular(LoopWhole *w)
{
    klu_rcond(w->symbolic, w->numeric, &w->common);
    if (w->common.rcond > 1e-8)
        return false;
    return !klu_condest(w->column, w->scaled, w->symbolic, w->numeric, &w->common) ||
           !(w->common.condest < 1e15);
}

bool loop_factors_lose_digits(LoopWhole *w, double most)
{
    klu_rcond(w->symbolic, w->numeric, &w->common);
    return !(w->common.rcond > most);
}

enum { OFTEN = 8 }; /* so many solutions pay for a copy of the factors */

/* b := inverse of the Jacobian times b, in the order of the relations, then of the unknowns. */
void loop_factors_solve(Sim *sim, LoopWhole *w, const double *b)
{
    if (!w->fast && ++w->solves == OFTEN)
        w->fast = sparse_solve_open(sim->mem, w->symbolic, w->numeric, &w->common);
    for (uint32_t i = 0; i < w->n; i++)
        w->r[w->place[i]] = b[i] * w->row_scale[i];
    if (w->fast)
        sparse_solve(w->fast, w->r);
    else
        klu_solve(w->symbolic, w->numeric, (int)w->n, 1, w->r, &w->common);
    for (uint32_t i = 0; i < w->n; i++)
        w->r[i] *= w->column_scale[i];
}

/* Others come in its place, or none. */
static void take_out_numeric(Sim *sim, LoopWhole *w)
{
    bool keep = w->numeric && !w->noted && !w->noted_anew && !w->noted_none;
    if (keep) {
        w->noted = w->numeric;
        w->numeric = NULL;
    }
    free_numeric(sim, w);
}

/* Factors of scaled values, in an order that is theirs alone. */
static bool analyse(Sim *sim, LoopWhole *w, const double *scale)
{
    scale_values(w);
    if (!w->symbolic) {
        place_rows(sim, w, scale);
        w->symbolic = klu_analyze((int)w->n, w->column, w->row, &w->common);
        w->first_factors = true;
    }
    if (w->common.status == KLU_OUT_OF_MEMORY)
        mem_exhausted(sim->mem);
    if (!w->symbolic)
        return false;
    if (refactor(sim, w))
        return true;
    take_out_numeric(sim, w);
    w->numeric = klu_factor(w->column, w->row, w->scaled, w->symbolic, &w->common);
    if (w->common.status == KLU_OUT_OF_MEMORY)
        mem_exhausted(sim->mem);
    return w->numeric && w->common.status == KLU_OK && !is_singular(w);
}

#ifdef SOLSTICE_VERIFY
#include <stdio.h>
#include <stdlib.h>

/* Factors that count again are those that would be made. */
static void compare_with_made(Sim *sim, LoopWhole *w, const double *scale)
{
    size_t size = w->n * sizeof(double);
    double *kept = mem_alloc(sim->mem, 2 * size), *right = kept + w->n;
    for (uint32_t i = 0; i < w->n; i++)
        right[i] = 1 + i;
    loop_factors_solve(sim, w, right);
    memcpy(kept, w->r, size);
    loop_factors_forget(sim, w);
    bool fine = analyse(sim, w, scale);
    loop_factors_solve(sim, w, right);
    if (!fine || memcmp(kept, w->r, size) != 0) {
        fprintf(stderr, "solstice: broken invariant B6: factors of a loop that returned\n");
        abort();
    }
    mem_free(sim->mem, kept);
}
#endif

bool loop_factors_are_finite(const LoopWhole *w)
{
    for (int i = 0; i < w->column[w->n]; i++)
        if (!isfinite(w->value[i]))
            return false;
    return true;
}

bool loop_factors_make(Sim *sim, LoopWhole *w, bool same, const double *scale)
{
    bool again = w->returned;
    w->returned = false;
    if (again && same) {
#ifdef SOLSTICE_VERIFY
        compare_with_made(sim, w, scale);
#endif
        return true;
    }
    if (again)
        loop_factors_forget(sim, w);
    w->first_factors = false; /* unless they are now made */
    bool fine = loop_factors_are_finite(w) && analyse(sim, w, scale);
    w->first_factors = w->first_factors && fine;
    return fine;
}

void loop_factors_be_strict(Sim *sim, LoopWhole *w)
{
    w->first_factors = false;
    w->common.tol = 1;
    take_out_numeric(sim, w);
}

/* ---- what the next factors begin with ---- */

void loop_factors_note(Sim *sim, LoopWhole *w)
{
    (void)sim;
    free_noted(w);
    w->noted_anew = !w->symbolic || w->returned;
    w->noted_none = !w->numeric;
    w->noted_tol = w->common.tol;
}

/* What was made of the derivatives alone would be made again of the same ones. */
static void make_anew(Sim *sim, LoopWhole *w)
{
    if (w->first_factors)
        w->returned = true;
    else
        loop_factors_forget(sim, w);
}

void loop_factors_put(Sim *sim, LoopWhole *w)
{
    if (w->noted_anew) {
        make_anew(sim, w);
        return;
    }
    if (w->noted || w->noted_none) {
        free_numeric(sim, w);
        w->numeric = w->noted;
        w->noted = NULL;
    }
    w->common.tol = w->noted_tol;
}

bool loop_factors_are_first(const LoopWhole *w)
{
    return w->first_factors && !w->returned;
}

void loop_factors_begin(LoopWhole *w)
{
    set_defaults(w);
    w->noted_anew = true;
}

void loop_factors_rest(Sim *sim, LoopWhole *w)
{
    free_noted(w);
    w->noted_anew = true;
    if (!w->returned)
        make_anew(sim, w);
}
