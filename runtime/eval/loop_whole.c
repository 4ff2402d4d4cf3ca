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
 * then on only the largest entry will do (loop_factors_be_strict).
 */
#include "runtime/eval/loop_whole_int.h"

#include "runtime/eval/blocks.h"
#include "runtime/eval/hold.h"
#include "numerics/scale.h"
#include "runtime/eval/loop_check.h"
#include "runtime/eval/loop_code.h"
#include "runtime/eval/loop_copies.h"

#include <float.h>
#include <math.h>
#include <string.h>

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
    loop_factors_begin(w);
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

void loop_whole_close(Sim *sim, LoopWhole *w)
{
    if (!w)
        return;
    loop_factors_forget(sim, w);
    mem_free(sim->mem, w->name.words);
    loop_whole_forget_code(sim, w);
    void *arrays[] = {w->unknown, (void *)w->code, w->row_scale, w->first,   w->column,
                      w->r,       w->place,        w->entry,     w->row,     w->value,
                      w->block,   w->residual,     w->copy,      w->relation};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        mem_free(sim->mem, arrays[i]);
    mem_free(sim->mem, w);
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

bool loop_whole_derivatives(Sim *sim, LoopWhole *w)
{
    if (!jacobian(sim, w, w->r)) {
        if (w->returned)
            loop_factors_forget(sim, w);
        w->first_factors = false;
    }
    return loop_factors_are_finite(w);
}

void loop_whole_dense(const LoopWhole *w, double *rows, size_t stride)
{
    for (uint32_t i = 0; i < w->n; i++)
        for (uint32_t k = w->first[i]; k < w->first[i + 1]; k++)
            rows[i * stride + (size_t)w->entry[k].column] = w->value[w->entry[k].at];
}

bool loop_whole_factor(Sim *sim, LoopWhole *w, double *scale)
{
    bool same = jacobian(sim, w, scale);
    return loop_factors_make(sim, w, same, scale);
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
        loop_factors_solve(sim, w, w->right);
        w->right[i] = 0;
        for (uint32_t k = 0; k < w->n; k++)
            bound[k] += fabs(w->r[k]);
    }
    mem_free(sim->mem, left);
}

void loop_whole_apply(Sim *sim, LoopWhole *w, double *b)
{
    loop_factors_solve(sim, w, b);
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
        loop_factors_solve(sim, w, w->right);
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
 * bit for bit those that they were made of (loop_factors_make).
 *
 * Each name has one slot, and whoever comes later takes it; a hand goes round the slots and empties them where there are
 * more unknowns than MOST_UNKNOWNS.
 */

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
    loop_factors_rest(sim, w);
}

static void renew(LoopWhole *w, const EvalNode *node)
{
    w->ops = node->ops;
}

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
