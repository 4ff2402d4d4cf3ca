/* loop_whole.c: a loop -> one sparse system over all its variables, solved by KLU.
 *
 * Tearing leaves a small dense system, but it has two limits. The steps between the tearing
 * variables divide by coefficients that may become small on the way: values far off then cancel in
 * the residuals, and what is left of them is rounding (a planar four-bar linkage loses all digits
 * of its forces twice in a turn, although the loop as a whole is as well-conditioned as ever). And
 * a loop that cannot be torn (a grid of resistors) leaves thousands of tearing variables, whose
 * dense matrix costs their cube. Here nothing is solved ahead: every relation of the loop is an
 * equation left - right = 0, every variable an unknown, and KLU chooses pivots by size.
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
#include "runtime/eval/loop_check.h"
#include "runtime/eval/loop_code.h"

#include <float.h>
#include <klu.h>
#include <math.h>
#include <string.h>

typedef struct Entry {
    DdpVar var;
    int at, column; /* in value[]; of the unknown */
} Entry;

/* What it is called while it is away; n 0: it does not return. */
typedef struct LoopName {
    uint32_t n, *words;
    uint64_t key;
} LoopName;

struct LoopWhole {
    uint32_t n;
    DdpVar *unknown;                  /* [n]: variables of the steps, then tearing variables */
    const Code **code;                /* [n]: left - right of relation i */
    const EvalOp *ops;                /* [n]: of the node */
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
    LoopName name;
    bool
        first_factors; /* symbolic and numeric are what `value` alone leads to: no others came before */
    bool returned;     /* and since then it was away: they count if `value` is the same again */
};

/* ---- pattern ---- */

static uint32_t count_entries(Sim *sim, const EvalNode *node, const Map *index)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < node->n_steps + node->n_tears; i++)
        for (uint32_t k = 0; k < ddp_rel(sim->ddp, node->ops[i].rel).n; k++)
            count += map_get(index, node->ops[i].vars[k]) != 0;
    return count;
}

/* Entries by rows, and how many there are in each column (at column[c + 1]). A variable that
 * stands at two positions of a relation has one entry: tangents see both. */
static void fill_rows(Sim *sim, LoopWhole *w, const EvalNode *node, const Map *index)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < w->n; i++) {
        const EvalOp *op = &node->ops[i];
        DdpRelView rel = ddp_rel(sim->ddp, op->rel);
        const FormInfo *form = form_info(sim->forms, rel.form);
        X residual = hold_in(sim, node, i, x_binary(sim->forms, X_SUB, form->lhs, form->rhs));
        w->code[i] = evaluate_make_code(sim, residual);
        w->residual[i] = residual;
        w->first[i] = count;
        sim->mark++;
        for (uint32_t k = 0; k < rel.n; k++) {
            DdpVar var = op->vars[k];
            uint32_t column = map_get(index, var);
            if (!column || sim->info[var].mark == sim->mark || !form->position[k].occurs)
                continue;
            sim->info[var].mark = sim->mark;
            w->entry[count++] = (Entry){.var = var, .column = (int)column - 1};
            w->column[column]++;
        }
    }
    w->first[w->n] = count;
}

static void fill_columns(Sim *sim, LoopWhole *w)
{
    int *next = mem_alloc(sim->mem, (w->n + 1) * sizeof *next);
    for (uint32_t c = 0; c < w->n; c++)
        w->column[c + 1] += w->column[c];
    memcpy(next, w->column, w->n * sizeof *next);
    for (uint32_t i = 0; i < w->n; i++)
        for (uint32_t k = w->first[i]; k < w->first[i + 1]; k++) {
            int at = next[w->entry[k].column]++;
            w->row[at] = (int)i;
            w->entry[k].at = at;
        }
    mem_free(sim->mem, next);
}

static void set_defaults(LoopWhole *w)
{
    klu_defaults(&w->common);
    w->common.btf = 0; /* a loop is one block, and the rows have their places */
    w->common.scale = 0;
}

LoopWhole *loop_whole_open(Sim *sim, const EvalNode *node)
{
    Mem *mem = sim->mem;
    uint32_t n = node->n_steps + node->n_tears;
    Map index = {0};
    LoopWhole *w = mem_alloc(mem, sizeof *w);
    w->n = n;
    w->unknown = mem_alloc(mem, n * sizeof *w->unknown);
    w->code = mem_alloc(mem, n * sizeof *w->code);
    w->ops = node->ops;
    w->row_scale = mem_alloc(mem, 2 * (size_t)n * sizeof *w->row_scale);
    w->column_scale = w->row_scale + n;
    w->block = mem_alloc(mem, n * sizeof(LoopBlock *));
    w->residual = mem_alloc(mem, n * sizeof *w->residual);
    w->first = mem_alloc(mem, (n + 1) * sizeof *w->first);
    w->column = mem_alloc(mem, (n + 1) * sizeof *w->column);
    w->r = mem_alloc(mem, 2 * (size_t)n * sizeof *w->r);
    w->right = w->r + n;
    w->place = mem_alloc(mem, n * sizeof *w->place);
    for (uint32_t i = 0; i < n; i++) {
        w->unknown[i] =
            i < node->n_steps ? node->ops[i].target : node_tears(node)[i - node->n_steps];
        map_put(mem, &index, w->unknown[i], i + 1);
    }
    uint32_t count = count_entries(sim, node, &index);
    w->entry = mem_alloc(mem, count * sizeof *w->entry);
    w->row = mem_alloc(mem, count * sizeof *w->row);
    w->value = mem_alloc(mem, 2 * (size_t)count * sizeof *w->value);
    w->scaled = w->value + count;
    fill_rows(sim, w, node, &index);
    fill_columns(sim, w);
    map_free(mem, &index);
    set_defaults(w);
    return w;
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

static void forget_factors(LoopWhole *w)
{
    if (w->numeric)
        klu_free_numeric(&w->numeric, &w->common);
    if (w->symbolic)
        klu_free_symbolic(&w->symbolic, &w->common);
    set_defaults(w);
    w->first_factors = w->returned = false;
}

void loop_whole_close(Sim *sim, LoopWhole *w)
{
    if (!w)
        return;
    forget_factors(w);
    mem_free(sim->mem, w->name.words);
    loop_whole_forget_code(sim, w);
    void *arrays[] = {w->unknown, (void *)w->code, w->row_scale, w->first, w->column, w->r,
                      w->place,   w->entry,        w->row,       w->value, w->block,  w->residual};
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

static void rest(LoopWhole *w)
{
    w->ops = NULL;
    if (w->first_factors)
        w->returned = true;
    else
        forget_factors(w);
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
        w->block[i] = loop_block_open(sim, 1, &(ShapeItem){0, w->residual[i], w->ops[i].vars});
    return w->block[i];
}

/* Loops of the size that library components make: one call instead of one for each relation. */
static LoopBlock *block_of_all(Sim *sim, LoopWhole *w)
{
    ShapeItem items[VALUES_ROOM];
    if (w->all || !sim->engine || w->n > VALUES_ROOM)
        return w->all;
    for (uint32_t i = 0; i < w->n; i++)
        items[i] = (ShapeItem){0, w->residual[i], w->ops[i].vars};
    w->all = loop_block_open(sim, w->n, items);
    return w->all;
}

void loop_whole_residuals(Sim *sim, LoopWhole *w, double *r)
{
    if (loop_block_value(sim, block_of_all(sim, w), r))
        return;
    for (uint32_t i = 0; i < w->n; i++)
        if (!loop_block_value(sim, block_of(sim, w, i), &r[i]))
            r[i] = evaluate_code(sim, w->code[i], w->ops[i].vars);
}

static double tangent_of(Sim *sim, const LoopWhole *w, uint32_t i)
{
    const double *tangents;
    double tangent;
    if (loop_block_tangent(sim, block_of(sim, w, i), &tangent))
        return tangent;
    interp_tangent(w->code[i], w->ops[i].vars, sim->value, sim->tangent, sim->eval.interp,
                   &tangents, evaluate_foreign, sim);
    return tangents[0];
}

/* True: all derivatives are those that were there. */
static bool jacobian(Sim *sim, LoopWhole *w, double *scale)
{
    bool same = true;
    for (uint32_t i = 0; i < w->n; i++) {
        double most = 0;
        for (uint32_t k = w->first[i]; k < w->first[i + 1]; k++) {
            const Entry *entry = &w->entry[k];
            sim->tangent[entry->var] = 1;
            double value = tangent_of(sim, w, i);
            sim->tangent[entry->var] = 0;
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
            forget_factors(w);
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

/* ---- rows to their places ---- */

/* Matching of relations to columns, each at an entry of at least `least` times the largest of its
 * relation; grows by augmenting paths. */
typedef struct Matching {
    int *of_row, *of_column; /* [n]: -1: none */
    uint32_t *seen, round;   /* [n]: == round: this row is on the way already */
    uint32_t *stack, *next;  /* [n]: rows of the path; entry that is looked at in each */
    const double *scale;
    double least;
} Matching;

static bool usable(const LoopWhole *w, const Matching *m, uint32_t row, uint32_t k)
{
    return fabs(w->value[w->entry[k].at]) >= m->least * m->scale[row];
}

static void take(const LoopWhole *w, Matching *m, uint32_t depth)
{
    for (uint32_t d = 0; d < depth; d++) {
        uint32_t row = m->stack[d];
        m->of_row[row] = w->entry[m->next[row]].column;
        m->of_column[m->of_row[row]] = (int)row;
    }
}

/* Looks for a free column from `row`, through columns whose rows could go elsewhere. */
static bool augment(const LoopWhole *w, Matching *m, uint32_t row)
{
    uint32_t depth = 0;
    m->seen[row] = ++m->round;
    m->next[row] = w->first[row];
    m->stack[depth++] = row;
    while (depth) {
        row = m->stack[depth - 1];
        uint32_t k = m->next[row];
        if (k == w->first[row + 1]) {
            depth--;
            if (depth)
                m->next[m->stack[depth - 1]]++;
            continue;
        }
        int other = usable(w, m, row, k) ? m->of_column[w->entry[k].column] : (int)row;
        if (other < 0) {
            take(w, m, depth);
            return true;
        }
        if (m->seen[other] == m->round) {
            m->next[row]++;
            continue;
        }
        m->seen[other] = m->round;
        m->next[other] = w->first[other];
        m->stack[depth++] = (uint32_t)other;
    }
    return false;
}

static void place_rows(Sim *sim, LoopWhole *w, const double *scale)
{
    Mem *mem = sim->mem;
    static const double least[] = {1, 0.1, 1e-3, 0};
    Matching m = {.of_row = mem_alloc(mem, 5 * (size_t)w->n * sizeof(int)), .scale = scale};
    m.of_column = m.of_row + w->n;
    m.seen = (uint32_t *)(m.of_row + 2 * (size_t)w->n);
    m.stack = m.seen + w->n;
    m.next = m.seen + 2 * (size_t)w->n;
    for (uint32_t i = 0; i < w->n; i++)
        m.of_row[i] = m.of_column[i] = -1;
    for (size_t k = 0; k < sizeof least / sizeof *least; k++) {
        m.least = least[k];
        for (uint32_t i = 0; i < w->n; i++)
            if (m.of_row[i] < 0)
                augment(w, &m, i);
    }
    for (uint32_t i = 0, spare = 0; i < w->n; i++) {
        if (m.of_row[i] < 0) { /* structurally singular: any place */
            while (m.of_column[spare] >= 0)
                spare++;
            m.of_row[i] = (int)spare;
            m.of_column[spare] = (int)i;
        }
        w->place[i] = m.of_row[i];
    }
    for (uint32_t i = 0; i < w->n; i++)
        for (uint32_t k = w->first[i]; k < w->first[i + 1]; k++)
            w->row[w->entry[k].at] = w->place[i];
    mem_free(mem, m.of_row);
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

static bool refactor(LoopWhole *w)
{
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

/* b := inverse of the Jacobian times b, in the order of the relations, then of the unknowns. */
static void solve_in_place(LoopWhole *w, const double *b)
{
    for (uint32_t i = 0; i < w->n; i++)
        w->r[w->place[i]] = b[i] * w->row_scale[i];
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
    if (refactor(w))
        return true;
    if (w->numeric)
        klu_free_numeric(&w->numeric, &w->common);
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
    solve_in_place(w, right);
    memcpy(kept, w->r, size);
    forget_factors(w);
    bool fine = analyse(sim, w, scale);
    solve_in_place(w, right);
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
        forget_factors(w);
    w->first_factors = false; /* unless they are now made */
    bool fine = finite_values(w) && analyse(sim, w, scale);
    w->first_factors = w->first_factors && fine;
    return fine;
}

void loop_whole_be_strict(LoopWhole *w)
{
    w->first_factors = false;
    w->common.tol = 1;
    if (w->numeric)
        klu_free_numeric(&w->numeric, &w->common);
}

/* With the derivatives by unknowns alone the sum is too small, if anything; the others are taken
 * where that is not enough. */
double loop_whole_violation(Sim *sim, const LoopWhole *w, const double *r, double enough)
{
    double most = 0;
    for (uint32_t i = 0; i < w->n; i++) {
        double size = 0;
        for (uint32_t k = w->first[i]; k < w->first[i + 1]; k++)
            size += fabs(w->value[w->entry[k].at]) * loop_check_worth(sim, w->entry[k].var);
        if (fabs(r[i]) <= enough * size)
            continue;
        size = loop_check_size(sim, &w->ops[i], w->code[i]);
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
        double rounding = DBL_EPSILON * loop_check_size(sim, &w->ops[i], w->code[i]);
        w->right[i] = fmax(rounding, fabs(left[i]));
        solve_in_place(w, w->right);
        w->right[i] = 0;
        for (uint32_t k = 0; k < w->n; k++)
            bound[k] += fabs(w->r[k]);
    }
    mem_free(sim->mem, left);
}

void loop_whole_apply(LoopWhole *w, double *b)
{
    solve_in_place(w, b);
    memcpy(b, w->r, w->n * sizeof *b);
}

/* One round solves, the second takes out its rounding. */
void loop_whole_tangent(Sim *sim, LoopWhole *w)
{
    for (uint32_t i = 0; i < w->n; i++)
        sim->tangent[w->unknown[i]] = 0;
    for (int round = 0; round < 2; round++) {
        for (uint32_t i = 0; i < w->n; i++)
            w->right[i] = tangent_of(sim, w, i);
        solve_in_place(w, w->right);
        for (uint32_t i = 0; i < w->n; i++)
            sim->tangent[w->unknown[i]] -= w->r[i];
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
        return loop_whole_open(sim, node);
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
    whole = loop_whole_open(sim, node);
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
    rest(whole);
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
