/* loop_whole.c: a loop -> one sparse system over all its variables but copies, solved by KLU.
 *
 * Tearing leaves a small dense system, but it has two limits. The steps between the tearing
 * variables divide by coefficients that may become small on the way: values far off then cancel in
 * the residuals, and what is left of them is rounding (a planar four-bar linkage loses all digits
 * of its forces twice in a turn, although the loop as a whole is as well-conditioned as ever). And
 * a loop that cannot be torn (a grid of resistors) leaves thousands of tearing variables, whose
 * dense matrix costs their cube. Here nothing is solved ahead: every relation of the loop is an
 * equation left - right = 0, every variable an unknown, and KLU chooses pivots by size. Only where
 * a relation says that two variables are equal, or opposite, one of them stands for both
 * (loop_copies.c): that rounds nothing, and of the loops that connections make it is one half.
 *
 * The pattern comes from the relations' variables, the values from tangents of the relations'
 * codes, one run for each entry: relations are short. KLU orders the pattern of A + A' (minimum
 * degree), so it matters which entries lie on the diagonal: with those that tearing chose, or that
 * a structural matching finds, the grid of 40 x 40 took 30 times as long as with each relation at
 * the variable of its largest coefficient. So rows are placed first, large entries onto the
 * diagonal. The order of elimination is analysed once for a loop; pivots are kept while they stay
 * good (klu_refactor).
 *
 * Rows and columns are scaled by powers of two, as those of dense matrices are. KLU prefers the
 * diagonal while it is a thousandth of the largest entry; where a solution misses a relation, from
 * then on only the largest entry will do (loop_whole_be_strict).
 */
#include "runtime/eval/loop_whole.h"

#include "runtime/eval/blocks.h"
#include "runtime/eval/hold.h"
#include "numerics/scale.h"
#include "numerics/sparse_place.h"
#include "numerics/sparse_solve.h"
#include "runtime/eval/loop_check.h"
#include "runtime/eval/loop_code.h"
#include "runtime/eval/loop_copies.h"

#include <float.h>
#include <klu.h>
#include <math.h>
#include <string.h>

/* A relation reads a variable. Those that one unknown stands for follow each other. */
typedef struct Entry {
    DdpVar var;
    int at, column; /* in value[]; of the unknown */
    double sign;    /* against the unknown */
    bool last;      /* of those of the same column */
} Entry;

/* What it is called while it is away; n 0: it does not return. */
typedef struct LoopName {
    uint32_t n, *words;
    uint64_t key;
} LoopName;

typedef struct Copy {
    DdpVar var, of;
    double sign;
} Copy;

struct LoopWhole {
    uint32_t n;
    DdpVar *unknown;                  /* [n]: variables of the steps, then tearing variables */
    uint32_t n_copies;                /* variables that an unknown stands for besides itself */
    Copy *copy;                       /* [n_copies] */
    uint32_t *relation;               /* [n]: operation of the node that row i is */
    const Code **code;                /* [n]: left - right of row i */
    const EvalOp *ops;                /* of the node */
    X *residual;                      /* [n]: what the code is of */
    LoopBlock **block;                /* [n]: the same as native code; NULL: not asked for */
    LoopBlock *all;                   /* all of them in one; NULL: not asked for, or too many */
    uint32_t *first;                  /* [n + 1]: entries of row i begin here */
    Entry *entry;                     /* by rows */
    int *column, *row;                /* the same by columns, as KLU wants it */
    double *value;                    /* derivatives as they are, by columns */
    double *scaled;                   /* what KLU gets */
    double *row_scale, *column_scale; /* [n]: by relation; by unknown */
    double *r, *right;
    int *place; /* [n]: the row that relation i becomes */
    klu_common common;
    klu_symbolic *symbolic;
    klu_numeric *numeric;
    uint32_t solves;   /* with these factors */
    SparseSolve *fast; /* them, once they are used often; else NULL */
    LoopName name;
    bool
        first_factors; /* symbolic and numeric are what `value` alone leads to: no others came before */
    bool returned;     /* and since then it was away: they count if `value` is the same again */
};

static const DdpVar *vars_of(const LoopWhole *w, uint32_t i)
{
    return w->ops[w->relation[i]].vars;
}

/* ---- pattern ---- */

/* What a loop's variables are called while its system is made. */
typedef struct Naming {
    Map index;         /* variable -> its number + 1 */
    LoopCopies copies; /* by that number */
    uint32_t *column;  /* of the unknowns among them */
} Naming;

static uint32_t count_entries(Sim *sim, const EvalNode *node, const Map *index)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < node->n_steps + node->n_tears; i++)
        for (uint32_t k = 0; k < ddp_rel(sim->ddp, node->ops[i].rel).n; k++)
            count += map_get(index, node->ops[i].vars[k]) != 0;
    return count;
}

/* All entries of row i from position `from` on that are in the column of what stands there. A variable that stands at two
 * positions of a relation has one entry: tangents see both. */
static void fill_column(Sim *sim, LoopWhole *w, uint32_t i, uint32_t from, const FormInfo *form,
                        const Naming *names)
{
    const DdpVar *vars = vars_of(w, i);
    uint32_t root = names->copies.of[map_get(&names->index, vars[from]) - 1].root,
             *count = &w->first[w->n];
    for (uint32_t k = from; k < form->n; k++) {
        uint32_t number = map_get(&names->index, vars[k]);
        if (!number || names->copies.of[number - 1].root != root || !form->position[k].occurs ||
            sim->info[vars[k]].mark == sim->mark)
            continue;
        sim->info[vars[k]].mark = sim->mark;
        w->entry[(*count)++] = (Entry){.var = vars[k],
                                       .column = (int)names->column[root],
                                       .sign = names->copies.of[number - 1].sign};
    }
    w->entry[*count - 1].last = true;
    w->column[names->column[root] + 1]++;
}

/* Entries by rows, and how many there are in each column (at column[c + 1]). */
static void fill_rows(Sim *sim, LoopWhole *w, const EvalNode *node, const Naming *names)
{
    for (uint32_t i = 0; i < w->n; i++) {
        const EvalOp *op = &node->ops[w->relation[i]];
        DdpRelView rel = ddp_rel(sim->ddp, op->rel);
        const FormInfo *form = form_info(sim->forms, rel.form);
        X residual =
            hold_in(sim, node, w->relation[i], x_binary(sim->forms, X_SUB, form->lhs, form->rhs));
        w->code[i] = evaluate_make_code(sim, residual);
        w->residual[i] = residual;
        w->first[i] = w->first[w->n];
        sim->mark++;
        for (uint32_t k = 0; k < rel.n; k++)
            if (map_get(&names->index, op->vars[k]) && sim->info[op->vars[k]].mark != sim->mark &&
                form->position[k].occurs)
                fill_column(sim, w, i, k, form, names);
    }
}

static void fill_columns(Sim *sim, LoopWhole *w)
{
    int *next = mem_alloc(sim->mem, (w->n + 1) * sizeof *next);
    for (uint32_t c = 0; c < w->n; c++)
        w->column[c + 1] += w->column[c];
    memcpy(next, w->column, w->n * sizeof *next);
    for (uint32_t i = 0; i < w->n; i++)
        for (uint32_t k = w->first[i]; k < w->first[i + 1]; k++) {
            w->entry[k].at = next[w->entry[k].column];
            w->row[w->entry[k].at] = (int)i;
            next[w->entry[k].column] += w->entry[k].last;
        }
    mem_free(sim->mem, next);
}

static void set_defaults(LoopWhole *w)
{
    klu_defaults(&w->common);
    w->common.btf = 0; /* a loop is one block, and the rows have their places */
    w->common.scale = 0;
}

/* Numbers of variables, and which of them are copies; counts the unknowns. */
static void name_all(Sim *sim, LoopWhole *w, const EvalNode *node, Naming *names, bool with_copies)
{
    uint32_t n = node->n_steps + node->n_tears;
    for (uint32_t i = 0; i < n; i++)
        map_put(sim->mem, &names->index, node_output(node, i), i + 1);
    names->column = mem_alloc(sim->mem, n * sizeof *names->column);
    names->copies = loop_copies_open(sim, node, with_copies ? &names->index : NULL);
    for (uint32_t i = 0; i < n; i++)
        if (names->copies.of[i].root == i)
            names->column[i] = w->n++;
    w->n_copies = n - w->n;
}

static void free_names(Sim *sim, Naming *names)
{
    map_free(sim->mem, &names->index);
    mem_free(sim->mem, names->column);
    loop_copies_close(sim, &names->copies);
}

static void allocate(Sim *sim, LoopWhole *w, uint32_t entries)
{
    Mem *mem = sim->mem;
    uint32_t n = w->n;
    w->unknown = mem_alloc(mem, n * sizeof *w->unknown);
    w->copy = mem_alloc(mem, (w->n_copies + 1) * sizeof *w->copy);
    w->relation = mem_alloc(mem, n * sizeof *w->relation);
    w->code = mem_alloc(mem, n * sizeof *w->code);
    w->row_scale = mem_alloc(mem, 2 * (size_t)n * sizeof *w->row_scale);
    w->column_scale = w->row_scale + n;
    w->block = mem_alloc(mem, n * sizeof(LoopBlock *));
    w->residual = mem_alloc(mem, n * sizeof *w->residual);
    w->first = mem_alloc(mem, (n + 1) * sizeof *w->first);
    w->column = mem_alloc(mem, (n + 1) * sizeof *w->column);
    w->r = mem_alloc(mem, 2 * (size_t)n * sizeof *w->r);
    w->right = w->r + n;
    w->place = mem_alloc(mem, n * sizeof *w->place);
    w->entry = mem_alloc(mem, entries * sizeof *w->entry);
    w->row = mem_alloc(mem, entries * sizeof *w->row);
    w->value = mem_alloc(mem, 2 * (size_t)entries * sizeof *w->value);
    w->scaled = w->value + entries;
}

/* Which variables are unknowns and which are copies, which relations are rows. */
static void divide(LoopWhole *w, const EvalNode *node, const Naming *names)
{
    uint32_t copies = 0, rows = 0;
    for (uint32_t i = 0; i < w->n + w->n_copies; i++) {
        LoopCopy of = names->copies.of[i];
        if (of.root == i)
            w->unknown[names->column[i]] = node_output(node, i);
        else
            w->copy[copies++] = (Copy){node_output(node, i), node_output(node, of.root), of.sign};
        if (!names->copies.left_out[i])
            w->relation[rows++] = i;
    }
}

static LoopWhole *open_system(Sim *sim, const EvalNode *node, bool with_copies)
{
    Naming names = {0};
    LoopWhole *w = mem_alloc(sim->mem, sizeof *w);
    w->ops = node->ops;
    name_all(sim, w, node, &names, with_copies);
    allocate(sim, w, count_entries(sim, node, &names.index));
    divide(w, node, &names);
    fill_rows(sim, w, node, &names);
    fill_columns(sim, w);
    free_names(sim, &names);
    set_defaults(w);
    return w;
}

LoopWhole *loop_whole_open(Sim *sim, const EvalNode *node)
{
    return open_system(sim, node, false);
}

void loop_whole_forget_code(Sim *sim, LoopWhole *w)
{
    for (uint32_t i = 0; i < w->n; i++) {
        loop_block_close(sim, w->block[i]);
        w->block[i] = NULL;
    }
    loop_block_close(sim, w->all);
    w->all = NULL;
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

static void forget_factors(Sim *sim, LoopWhole *w)
{
    free_numeric(sim, w);
    if (w->symbolic)
        klu_free_symbolic(&w->symbolic, &w->common);
    set_defaults(w);
    w->first_factors = w->returned = false;
}

void loop_whole_close(Sim *sim, LoopWhole *w)
{
    if (!w)
        return;
    forget_factors(sim, w);
    mem_free(sim->mem, w->name.words);
    loop_whole_forget_code(sim, w);
    void *arrays[] = {w->unknown, (void *)w->code, w->row_scale, w->first,   w->column,
                      w->r,       w->place,        w->entry,     w->row,     w->value,
                      w->block,   w->residual,     w->copy,      w->relation};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        mem_free(sim->mem, arrays[i]);
    mem_free(sim->mem, w);
}

/* ---- away and back ---- */

static const LoopName *name_of(const LoopWhole *w)
{
    return &w->name;
}

static void call(Sim *sim, LoopWhole *w, const LoopName *name)
{
    w->name = *name;
    w->name.words = mem_alloc(sim->mem, name->n * sizeof *name->words);
    memcpy(w->name.words, name->words, name->n * sizeof *name->words);
}

static void rest(Sim *sim, LoopWhole *w)
{
    w->ops = NULL;
    if (w->first_factors)
        w->returned = true;
    else
        forget_factors(sim, w);
}

static void renew(LoopWhole *w, const EvalNode *node)
{
    w->ops = node->ops;
}

uint32_t loop_whole_size(const LoopWhole *w)
{
    return w->n;
}

const DdpVar *loop_whole_unknowns(const LoopWhole *w)
{
    return w->unknown;
}

const Code *loop_whole_code(const LoopWhole *w, uint32_t i)
{
    return w->code[i];
}

/* ---- values ---- */

static LoopBlock *block_of(Sim *sim, const LoopWhole *w, uint32_t i)
{
    if (!w->block[i])
        w->block[i] = loop_block_open(sim, 1, &(ShapeItem){0, w->residual[i], vars_of(w, i)});
    return w->block[i];
}

/* Loops of the size that library components make: one call instead of one for each relation. */
static LoopBlock *block_of_all(Sim *sim, LoopWhole *w)
{
    ShapeItem items[VALUES_ROOM];
    if (w->all || !sim->engine || w->n > VALUES_ROOM)
        return w->all;
    for (uint32_t i = 0; i < w->n; i++)
        items[i] = (ShapeItem){0, w->residual[i], vars_of(w, i)};
    w->all = loop_block_open(sim, w->n, items);
    return w->all;
}

static void spread(const LoopWhole *w, double *at)
{
    for (uint32_t i = 0; i < w->n_copies; i++)
        at[w->copy[i].var] = w->copy[i].sign * at[w->copy[i].of];
}

void loop_whole_residuals(Sim *sim, LoopWhole *w, double *r)
{
    spread(w, sim->value);
    if (loop_block_value(sim, block_of_all(sim, w), r))
        return;
    for (uint32_t i = 0; i < w->n; i++)
        if (!loop_block_value(sim, block_of(sim, w, i), &r[i]))
            r[i] = evaluate_code(sim, w->code[i], vars_of(w, i));
}

static double tangent_of(Sim *sim, const LoopWhole *w, uint32_t i)
{
    const double *tangents;
    double tangent;
    if (loop_block_tangent(sim, block_of(sim, w, i), &tangent))
        return tangent;
    interp_tangent(w->code[i], vars_of(w, i), sim->value, sim->tangent, sim->eval.interp, &tangents,
                   evaluate_foreign, sim);
    return tangents[0];
}

/* True: all derivatives are those that were there. */
static bool jacobian(Sim *sim, LoopWhole *w, double *scale)
{
    bool same = true;
    for (uint32_t i = 0; i < w->n; i++) {
        double most = 0;
        for (uint32_t k = w->first[i], from = k; k < w->first[i + 1]; k++) {
            const Entry *entry = &w->entry[k];
            sim->tangent[entry->var] = entry->sign;
            if (!entry->last)
                continue;
            double value = tangent_of(sim, w, i);
            for (; from <= k; from++)
                sim->tangent[w->entry[from].var] = 0;
            same = same && memcmp(&w->value[entry->at], &value, sizeof value) == 0;
            w->value[entry->at] = value;
            most = larger(most, fabs(value));
        }
        scale[i] = most;
    }
    return same;
}

static bool finite_values(const LoopWhole *w)
{
    for (int i = 0; i < w->column[w->n]; i++)
        if (!isfinite(w->value[i]))
            return false;
    return true;
}

bool loop_whole_derivatives(Sim *sim, LoopWhole *w)
{
    if (!jacobian(sim, w, w->r)) {
        if (w->returned)
            forget_factors(sim, w);
        w->first_factors = false;
    }
    return finite_values(w);
}

void loop_whole_dense(const LoopWhole *w, double *rows, size_t stride)
{
    for (uint32_t i = 0; i < w->n; i++)
        for (uint32_t k = w->first[i]; k < w->first[i + 1]; k++)
            rows[i * stride + (size_t)w->entry[k].column] = w->value[w->entry[k].at];
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

bool loop_whole_loses_digits(LoopWhole *w, double most)
{
    klu_rcond(w->symbolic, w->numeric, &w->common);
    return !(w->common.rcond > most);
}

enum { OFTEN = 8 }; /* so many solutions pay for a copy of the factors */

/* b := inverse of the Jacobian times b, in the order of the relations, then of the unknowns. */
static void solve_in_place(Sim *sim, LoopWhole *w, const double *b)
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
    free_numeric(sim, w);
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
    solve_in_place(sim, w, right);
    memcpy(kept, w->r, size);
    forget_factors(sim, w);
    bool fine = analyse(sim, w, scale);
    solve_in_place(sim, w, right);
    if (!fine || memcmp(kept, w->r, size) != 0) {
        fprintf(stderr, "solstice: broken invariant B6: factors of a loop that returned\n");
        abort();
    }
    mem_free(sim->mem, kept);
}
#endif

bool loop_whole_factor(Sim *sim, LoopWhole *w, double *scale)
{
    bool again = w->returned, same = jacobian(sim, w, scale);
    w->returned = false;
    if (again && same) {
#ifdef SOLSTICE_VERIFY
        compare_with_made(sim, w, scale);
#endif
        return true;
    }
    if (again)
        forget_factors(sim, w);
    w->first_factors = false; /* unless they are now made */
    bool fine = finite_values(w) && analyse(sim, w, scale);
    w->first_factors = w->first_factors && fine;
    return fine;
}

void loop_whole_be_strict(Sim *sim, LoopWhole *w)
{
    w->first_factors = false;
    w->common.tol = 1;
    free_numeric(sim, w);
}

/* With the derivatives by unknowns alone the sum is too small, if anything; the others are taken
 * where that is not enough. */
double loop_whole_violation(Sim *sim, const LoopWhole *w, const double *r, double enough)
{
    double most = 0;
    for (uint32_t i = 0; i < w->n; i++) {
        double size = 0;
        if (!isfinite(r[i]))
            return INFINITY;
        for (uint32_t k = w->first[i]; k < w->first[i + 1]; k++)
            if (w->entry[k].last)
                size += fabs(w->value[w->entry[k].at]) * loop_check_worth(sim, w->entry[k].var);
        if (fabs(r[i]) <= enough * size)
            continue;
        size = loop_check_size(sim, &w->ops[w->relation[i]], w->code[i]);
        if (size > 0 && isfinite(size))
            most = fmax(most, fabs(r[i]) / size);
    }
    return most;
}

void loop_whole_rounding(Sim *sim, LoopWhole *w, double *bound)
{
    double *left = mem_alloc(sim->mem, w->n * sizeof *left);
    loop_whole_residuals(sim, w, left);
    for (uint32_t k = 0; k < w->n; k++)
        bound[k] = w->right[k] = 0;
    for (uint32_t i = 0; i < w->n; i++) {
        double rounding = DBL_EPSILON * loop_check_size(sim, &w->ops[w->relation[i]], w->code[i]);
        w->right[i] = fmax(rounding, fabs(left[i]));
        solve_in_place(sim, w, w->right);
        w->right[i] = 0;
        for (uint32_t k = 0; k < w->n; k++)
            bound[k] += fabs(w->r[k]);
    }
    mem_free(sim->mem, left);
}

void loop_whole_apply(Sim *sim, LoopWhole *w, double *b)
{
    solve_in_place(sim, w, b);
    memcpy(b, w->r, w->n * sizeof *b);
}

/* One round solves, the second takes out its rounding. */
void loop_whole_tangent(Sim *sim, LoopWhole *w)
{
    for (uint32_t i = 0; i < w->n; i++)
        sim->tangent[w->unknown[i]] = 0;
    spread(w, sim->tangent);
    for (int round = 0; round < 2; round++) {
        for (uint32_t i = 0; i < w->n; i++)
            w->right[i] = tangent_of(sim, w, i);
        solve_in_place(sim, w, w->right);
        for (uint32_t i = 0; i < w->n; i++)
            sim->tangent[w->unknown[i]] -= w->r[i];
        spread(w, sim->tangent);
    }
}

/* ---- loops that return in a mode that returns ----
 *
 * A switch that opens and closes leads to the same loops again and again. What a loop that goes had (pattern, codes,
 * factors) is put away under its name: forms and variables of all its relations, and its unknowns, in order. Forms are
 * numbers in a table that only grows (X3), so equal names are equal systems. Factors count only where the derivatives are
 * bit for bit those that they were made of (loop_whole_factor).
 *
 * Each name has one slot, and whoever comes later takes it; a hand goes round the slots and empties them where there are
 * more unknowns than MOST_UNKNOWNS.
 */

enum { SLOTS = 4096, MOST_UNKNOWNS = 32768, LARGEST = VALUES_ROOM };

typedef struct LoopMemory {
    LoopWhole *slot[SLOTS];
    VEC(uint32_t) words; /* of the name that is sought */
    uint32_t unknowns;   /* of all that is away */
    uint32_t most;       /* of them; 0: MOST_UNKNOWNS */
    uint32_t hand;
} LoopMemory;

static void say(Sim *sim, uint32_t word)
{
    vec_push(sim->mem, &sim->eval.loops_away->words, word);
}

/* Into `words`: the relation is left - right of this form, over these variables. */
static void name_loop(Sim *sim, const EvalNode *node)
{
    vec_clear(&sim->eval.loops_away->words);
    for (uint32_t i = 0; i < node->n_steps + node->n_tears; i++) {
        DdpRelView rel = ddp_rel(sim->ddp, node->ops[i].rel);
        say(sim, rel.form);
        say(sim, node_output(node, i));
        say(sim, rel.n);
        for (uint32_t k = 0; k < rel.n; k++)
            say(sim, node->ops[i].vars[k]);
    }
}

static bool may_return(const Sim *sim, const EvalNode *node)
{
    return !sim->opt.forget_modes && sim->opt.engine != SOL_ENGINE_REBUILD && !node->holds &&
           node->n_steps + node->n_tears <= LARGEST;
}

static LoopWhole **slot_of(LoopMemory *memory, const LoopName *name)
{
    return &memory->slot[name->key % SLOTS];
}

static void take_out(LoopMemory *memory, LoopWhole **slot)
{
    memory->unknowns -= loop_whole_size(*slot);
    *slot = NULL;
}

static void empty(Sim *sim, LoopWhole **slot)
{
    LoopWhole *whole = *slot;
    if (!whole)
        return;
    take_out(sim->eval.loops_away, slot);
    loop_whole_close(sim, whole);
}

static LoopMemory *memory_of(Sim *sim)
{
    if (!sim->eval.loops_away)
        sim->eval.loops_away = mem_alloc(sim->mem, sizeof *sim->eval.loops_away);
    return sim->eval.loops_away;
}

static void make_room(Sim *sim)
{
    LoopMemory *memory = sim->eval.loops_away;
    uint32_t most = memory->most ? memory->most : MOST_UNKNOWNS;
    while (memory->unknowns > most)
        empty(sim, &memory->slot[memory->hand++ % SLOTS]);
}

void loop_whole_limit(Sim *sim, uint32_t most)
{
    memory_of(sim)->most = most;
    make_room(sim);
}

LoopWhole *loop_whole_return(Sim *sim, const EvalNode *node)
{
    if (!may_return(sim, node))
        return open_system(sim, node, true);
    LoopMemory *memory = memory_of(sim);
    name_loop(sim, node);
    LoopName name = {memory->words.n, memory->words.at,
                     hash_bytes(memory->words.at, memory->words.n * sizeof(uint32_t), 2)};
    LoopWhole **slot = slot_of(memory, &name), *whole = *slot;
    const LoopName *kept = whole ? name_of(whole) : NULL;
    if (kept && kept->n == name.n &&
        memcmp(kept->words, name.words, name.n * sizeof(uint32_t)) == 0) {
        take_out(memory, slot);
        renew(whole, node);
        engine_note_returned(sim->engine);
        return whole;
    }
    whole = open_system(sim, node, true);
    call(sim, whole, &name);
    return whole;
}

void loop_whole_put_away(Sim *sim, LoopWhole *whole)
{
    LoopMemory *memory = sim->eval.loops_away;
    if (!whole || !name_of(whole)->n) {
        loop_whole_close(sim, whole);
        return;
    }
    LoopWhole **slot = slot_of(memory, name_of(whole));
    empty(sim, slot);
    rest(sim, whole);
    *slot = whole;
    memory->unknowns += loop_whole_size(whole);
    make_room(sim);
}

void loop_whole_forget_away(Sim *sim)
{
    LoopMemory *memory = sim->eval.loops_away;
    if (!memory)
        return;
    for (uint32_t i = 0; i < SLOTS; i++)
        empty(sim, &memory->slot[i]);
    vec_free(sim->mem, &memory->words);
    mem_free(sim->mem, memory);
    sim->eval.loops_away = NULL;
}
