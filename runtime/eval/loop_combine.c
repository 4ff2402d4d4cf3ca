/* loop_combine.c: a loop that is singular by its numbers -> the relation that it hides, in the
 * place of one of its relations.
 *
 * Voltages around a circle of components, and currents into a part of a circuit, are equations with
 * whole factors whose sum leaves nothing of the loop's unknowns: what is left is a relation among
 * what the loop reads, e.g. of capacitors that form a circle with a diode that conducts. Structure
 * does not see it, so none of these is recognised as no state. Elimination with pivots of 1 and -1
 * finds the sum, exactly. */
#include "runtime/eval/loop_combine.h"

#include <math.h>

enum { MOST_ROWS = 300, LARGEST = 1000 };

/* Rows: relations of the loop with whole factors. Columns: its unknowns, then one for each row: how
 * often that is in the sum. */
typedef struct Table {
    Sim *sim;
    uint32_t n, n_unknowns, width;
    DdpRel *rel;
    double *at;
} Table;

/* The factor of a position where it is a whole number; false: it is none, or no number. */
static bool whole_factor(const Sim *sim, const FormPosition *position, double *factor)
{
    XNode node = position->factor ? x_node(sim->forms, position->factor) : (XNode){.op = X_POS};
    *factor = node.k;
    return node.op == X_CONST && fabs(node.k) <= LARGEST && node.k == round(node.k);
}

static bool is_whole(const Sim *sim, DdpRel rel)
{
    DdpRelView view = ddp_rel(sim->ddp, rel);
    if (view.kind != DDP_EQUATION)
        return false;
    const FormInfo *form = form_info(sim->forms, view.form);
    double factor;
    for (uint32_t k = 0; k < form->n; k++)
        if (form->position[k].occurs && !whole_factor(sim, &form->position[k], &factor))
            return false;
    return true;
}

static double *cell(const Table *t, uint32_t row, uint32_t column)
{
    return &t->at[(size_t)row * t->width + column];
}

static uint32_t column_of(const EvalNode *node, uint32_t n, DdpVar var)
{
    uint32_t i = 0;
    while (i < n && node_output(node, i) != var)
        i++;
    return i;
}

static void fill(Table *t, const EvalNode *node)
{
    Sim *sim = t->sim;
    t->n_unknowns = node->n_steps + node->n_tears;
    t->width = 2 * t->n_unknowns;
    t->rel = mem_alloc(sim->mem, t->n_unknowns * sizeof *t->rel);
    t->at = mem_alloc(sim->mem, (size_t)t->n_unknowns * t->width * sizeof *t->at);
    for (uint32_t i = 0; i < t->n_unknowns; i++) {
        DdpRelView view = ddp_rel(sim->ddp, node->ops[i].rel);
        if (!is_whole(sim, node->ops[i].rel) || !is_whole(sim, view.origin))
            continue;
        const FormInfo *form = form_info(sim->forms, view.form);
        for (uint32_t k = 0; k < form->n; k++) {
            uint32_t column = column_of(node, t->n_unknowns, view.vars[k]);
            double factor = 0;
            if (column < t->n_unknowns && form->position[k].occurs &&
                whole_factor(sim, &form->position[k], &factor))
                *cell(t, t->n, column) += factor;
        }
        *cell(t, t->n, t->n_unknowns + t->n) = 1;
        t->rel[t->n++] = node->ops[i].rel;
    }
}

static void exchange_rows(Table *t, uint32_t a, uint32_t b)
{
    for (uint32_t k = 0; a != b && k < t->width; k++) {
        double kept = *cell(t, a, k);
        *cell(t, a, k) = *cell(t, b, k);
        *cell(t, b, k) = kept;
    }
}

/* Rows from here on have nothing left in the columns that have a pivot; returns their number. */
static uint32_t eliminate(Table *t)
{
    uint32_t rank = 0;
    for (uint32_t column = 0; column < t->n_unknowns; column++) {
        uint32_t row = rank;
        while (row < t->n && fabs(*cell(t, row, column)) != 1)
            row++;
        if (row == t->n)
            continue;
        exchange_rows(t, row, rank);
        for (uint32_t i = rank + 1; i < t->n; i++) {
            double times = *cell(t, i, column) / *cell(t, rank, column);
            for (uint32_t k = 0; times != 0 && k < t->width; k++)
                *cell(t, i, k) -= times * *cell(t, rank, k);
        }
        rank++;
    }
    return rank;
}

static bool is_sum(const Table *t, uint32_t row)
{
    for (uint32_t k = 0; k < t->n_unknowns; k++)
        if (*cell(t, row, k) != 0)
            return false;
    return true;
}

/* ---- the sum as a relation ---- */

typedef struct Sum {
    Sim *sim;
    VEC(DdpVar) vars;
    VEC(double) factors;
    VEC(DdpRel) others;
    DdpRel rel; /* that it replaces */
    double constant;
} Sum;

static void add_term(Sum *sum, DdpVar var, double factor)
{
    uint32_t i = 0;
    while (i < sum->vars.n && sum->vars.at[i] != var)
        i++;
    if (i == sum->vars.n) {
        vec_push(sum->sim->mem, &sum->vars, var);
        vec_push(sum->sim->mem, &sum->factors, 0.0);
    }
    sum->factors.at[i] += factor;
}

static void add_relation(Sum *sum, DdpRel rel, double times)
{
    Sim *sim = sum->sim;
    DdpRelView view = ddp_rel(sim->ddp, rel);
    const FormInfo *form = form_info(sim->forms, view.form);
    uint32_t *zero = mem_alloc(sim->mem, (form->n + 1) * sizeof *zero);
    double nothing = 0, factor = 0;
    double left = x_value(sim->forms, form->lhs, zero, &nothing, evaluate_foreign, sim);
    double right = x_value(sim->forms, form->rhs, zero, &nothing, evaluate_foreign, sim);
    sum->constant += times * (left - right);
    for (uint32_t k = 0; k < form->n; k++)
        if (form->position[k].occurs && whole_factor(sim, &form->position[k], &factor))
            add_term(sum, view.vars[k], times * factor);
    mem_free(sim->mem, zero);
}

static void drop_zeros(Sum *sum)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < sum->vars.n; i++) {
        if (sum->factors.at[i] == 0)
            continue;
        sum->vars.at[n] = sum->vars.at[i];
        sum->factors.at[n++] = sum->factors.at[i];
    }
    sum->vars.n = sum->factors.n = n;
}

static Form form_of(const Sum *sum)
{
    FormTable *forms = sum->sim->forms;
    X x = 0;
    for (uint32_t i = 0; i < sum->vars.n; i++) {
        double factor = sum->factors.at[i];
        X term = x_pos(forms, i);
        if (fabs(factor) != 1)
            term = x_binary(forms, X_MUL, x_const(forms, fabs(factor)), term);
        if (x)
            x = x_binary(forms, factor > 0 ? X_ADD : X_SUB, x, term);
        else
            x = factor > 0 ? term : x_unary(forms, X_NEG, term);
    }
    return form_make(forms, x, x_const(forms, -sum->constant), sum->vars.n);
}

/* Derivatives of relations are summed as the relations themselves: all of one order. The one that
 * exists always is replaced rather than one of a branch. */
static bool collect(Sum *sum, const Table *t, uint32_t row)
{
    Sim *sim = sum->sim;
    uint32_t order = UINT32_MAX;
    for (uint32_t i = 0; i < t->n; i++) {
        double times = *cell(t, row, t->n_unknowns + i);
        DdpRelView view = ddp_rel(sim->ddp, t->rel[i]);
        if (times == 0)
            continue;
        if (order != UINT32_MAX && view.order != order)
            return false;
        order = view.order;
        add_relation(sum, view.origin, times);
        vec_push(sim->mem, &sum->others, view.origin);
        if (fabs(times) == 1 && (!sum->rel || !ddp_rel(sim->ddp, view.origin).logic))
            sum->rel = view.origin;
    }
    drop_zeros(sum);
    return sum->rel && sum->vars.n > 0;
}

static bool combine_row(const Table *t, uint32_t row)
{
    Sim *sim = t->sim;
    Sum sum = {.sim = sim};
    bool fine = collect(&sum, t, row);
    if (fine) {
        uint32_t n = 0;
        for (uint32_t i = 0; i < sum.others.n; i++)
            if (sum.others.at[i] != sum.rel)
                sum.others.at[n++] = sum.others.at[i];
        ddp_combine(sim->ddp, sum.rel, form_of(&sum), sum.vars.n, sum.vars.at, n, sum.others.at);
    }
    vec_free(sim->mem, &sum.vars);
    vec_free(sim->mem, &sum.factors);
    vec_free(sim->mem, &sum.others);
    return fine;
}

bool loop_combine(Sim *sim, const EvalNode *node)
{
    Table t = {.sim = sim};
    bool fine = false;
    if (node->n_steps + node->n_tears > MOST_ROWS)
        return false;
    fill(&t, node);
    for (uint32_t row = eliminate(&t); row < t.n && !fine; row++)
        fine = is_sum(&t, row) && combine_row(&t, row);
    mem_free(sim->mem, t.rel);
    mem_free(sim->mem, t.at);
    return fine;
}
