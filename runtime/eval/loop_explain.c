/* loop_explain.c: a loop that could not be solved -> messages in the modeller's words.
 *
 * Two kinds of failure. The Jacobian is singular: some of the equations follow from the others, or
 * contradict them, and leave some variables open. Elimination with the largest pivots tells which:
 * a row that becomes zero is a combination of pivot rows, and since these are independent, it is a
 * combination of exactly those without which it could not be made; the same for columns. So what
 * is named belongs to the matter, all of it. Or there is no solution near: then the equation that
 * is violated most is named, by the measure of the audit (loop_check.h), where the iteration came
 * to rest.
 */
#include "runtime/eval/loop_explain.h"

#include "runtime/eval/loop_check.h"
#include "runtime/eval/loop_whole.h"
#include "runtime/eval/rounding.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LARGEST = 250, TEXT = 1200, LISTED = 8 };

static const double ZERO = 1e-11, TAKES_PART = 1e-7;

/* ---- elimination ---- */

/* The Jacobian in units of its rows and columns, with the combinations of rows beside it. */
typedef struct Elimination {
    uint32_t n, rank;
    double *a;              /* [n][2n]: the matrix; what its rows are made of */
    uint32_t *row, *column; /* [n]: where pivot k stands; those without one behind them */
} Elimination;

static double *at(const Elimination *e, uint32_t row, uint32_t column)
{
    return &e->a[(size_t)row * 2 * e->n + column];
}

static void scale_rows(const Elimination *e)
{
    for (uint32_t i = 0; i < e->n; i++) {
        double most = 0;
        for (uint32_t j = 0; j < e->n; j++)
            most = fmax(most, fabs(*at(e, i, j)));
        for (uint32_t j = 0; most > 0 && j < e->n; j++)
            *at(e, i, j) /= most;
        *at(e, i, e->n + i) = most > 0 ? 1 / most : 1;
    }
}

static void scale_columns(const Elimination *e)
{
    for (uint32_t j = 0; j < e->n; j++) {
        double most = 0;
        for (uint32_t i = 0; i < e->n; i++)
            most = fmax(most, fabs(*at(e, i, j)));
        for (uint32_t i = 0; most > 0 && i < e->n; i++)
            *at(e, i, j) /= most;
    }
}

static Elimination elimination_open(Sim *sim, const LoopWhole *whole)
{
    Elimination e = {.n = loop_whole_size(whole)};
    e.a = mem_alloc(sim->mem, 2 * (size_t)e.n * e.n * sizeof *e.a);
    e.row = mem_alloc(sim->mem, 2 * (size_t)e.n * sizeof *e.row);
    e.column = e.row + e.n;
    for (uint32_t i = 0; i < e.n; i++)
        e.row[i] = e.column[i] = i;
    loop_whole_dense(whole, e.a, 2 * (size_t)e.n);
    scale_rows(&e);
    scale_columns(&e);
    return e;
}

static void elimination_close(Sim *sim, Elimination *e)
{
    mem_free(sim->mem, e->a);
    mem_free(sim->mem, e->row);
}

static void swap(uint32_t *list, uint32_t i, uint32_t k)
{
    uint32_t kept = list[i];
    list[i] = list[k];
    list[k] = kept;
}

/* The largest entry that is left goes to place k; false when all of them are rounding. */
static bool place_pivot(Elimination *e, uint32_t k)
{
    uint32_t row = k, column = k;
    double most = 0;
    for (uint32_t i = k; i < e->n; i++)
        for (uint32_t j = k; j < e->n; j++)
            if (fabs(*at(e, e->row[i], e->column[j])) > most) {
                most = fabs(*at(e, e->row[i], e->column[j]));
                row = i;
                column = j;
            }
    swap(e->row, k, row);
    swap(e->column, k, column);
    return most > ZERO;
}

/* Gauss and Jordan: behind it the pivots are 1, and nothing else stands in their columns. */
static void eliminate(Elimination *e)
{
    for (e->rank = 0; e->rank < e->n && place_pivot(e, e->rank); e->rank++) {
        uint32_t row = e->row[e->rank], column = e->column[e->rank];
        double pivot = *at(e, row, column);
        for (uint32_t j = 0; j < 2 * e->n; j++)
            *at(e, row, j) /= pivot;
        for (uint32_t i = 0; i < e->n; i++) {
            double factor = *at(e, i, column);
            if (i == row || factor == 0)
                continue;
            for (uint32_t j = 0; j < 2 * e->n; j++)
                *at(e, i, j) -= factor * *at(e, row, j);
        }
    }
}

/* ---- who takes part ---- */

typedef struct Culprits {
    uint32_t n_rels, n_vars;
    DdpRel *rels;
    DdpVar *vars;
    bool contradict; /* else the equations agree */
} Culprits;

/* What was differentiated is judged as it was written: constants that contradict each other have no derivatives. */
static void add_origin(Sim *sim, DdpRel rel, double times, double *sum, double *size)
{
    DdpRelView view = ddp_rel(sim->ddp, ddp_rel(sim->ddp, rel).origin);
    const FormInfo *form = form_info(sim->forms, view.form);
    X x = x_binary(sim->forms, X_SUB, form->lhs, form->rhs);
    *sum += times * x_value(sim->forms, x, view.vars, sim->value, evaluate_foreign, sim);
    *size += fabs(times) * rounding_size(sim, x, view.vars);
}

/* The first row that has become zero: which relations it is made of, and whether their right sides
 * agree. */
static void find_rels(Sim *sim, const Elimination *e, const EvalNode *node, LoopWhole *whole,
                      Culprits *c)
{
    const double *combination = at(e, e->row[e->rank], e->n);
    double *r = mem_alloc(sim->mem, e->n * sizeof *r), sum = 0, size = 0, most = 0;
    double written = 0, written_size = 0;
    loop_whole_residuals(sim, whole, r);
    for (uint32_t i = 0; i < e->n; i++)
        most = fmax(most, fabs(combination[i]));
    for (uint32_t i = 0; i < e->n; i++) {
        if (fabs(combination[i]) <= TAKES_PART * most)
            continue;
        DdpRel rel = c->rels[c->n_rels++] = node->ops[i].rel;
        sum += combination[i] * r[i];
        size +=
            fabs(combination[i]) * loop_check_size(sim, &node->ops[i], loop_whole_code(whole, i));
        if (node->constant && ddp_rel(sim->ddp, rel).order)
            add_origin(sim, rel, combination[i], &written, &written_size);
    }
    c->contradict = fabs(sum) > 1e-9 * size || fabs(written) > 1e-9 * written_size;
    mem_free(sim->mem, r);
}

/* The first column without a pivot: which variables can move together with its own. */
static void find_vars(const Elimination *e, const LoopWhole *whole, Culprits *c)
{
    uint32_t open = e->column[e->rank];
    c->vars[c->n_vars++] = loop_whole_unknowns(whole)[open];
    for (uint32_t k = 0; k < e->rank; k++)
        if (fabs(*at(e, e->row[k], open)) > TAKES_PART)
            c->vars[c->n_vars++] = loop_whole_unknowns(whole)[e->column[k]];
}

/* "'x', 'y' and 3 others" */
static void list_vars(Sim *sim, const Culprits *c, char *out, size_t size)
{
    uint32_t n = c->n_vars > LISTED ? LISTED - 1 : c->n_vars;
    size_t used = 0;
    for (uint32_t i = 0; i < n && used < size; i++)
        used += (size_t)snprintf(out + used, size - used, "%s'%s'",
                                 i == 0               ? ""
                                 : i + 1 == c->n_vars ? " and "
                                                      : ", ",
                                 explain_var(sim, c->vars[i]));
    if (n < c->n_vars && used < size)
        snprintf(out + used, size - used, " and %u others", c->n_vars - n);
}

/* What stands for a part of an expression is told with the expression, and each name once. */
static void only_written(Sim *sim, Culprits *c)
{
    uint32_t rels = 0, vars = 0;
    for (uint32_t i = 0; i < c->n_rels; i++)
        if (world_rel_written(sim->world, c->rels[i]))
            c->rels[rels++] = c->rels[i];
    c->n_rels = rels ? rels : 1;
    for (uint32_t i = 0; i < c->n_vars; i++) {
        const char *name = explain_var(sim, c->vars[i]);
        bool known = false;
        for (uint32_t k = 0; k < vars && !known; k++)
            known = strcmp(name, explain_var(sim, c->vars[k])) == 0;
        if (!known)
            c->vars[vars++] = c->vars[i];
    }
    c->n_vars = vars;
}

/* As it was written, also where its derivative is meant. */
static void note_equation(Sim *sim, DdpRel rel)
{
    DdpRel origin = ddp_rel(sim->ddp, rel).origin;
    bool derived = origin && origin != rel;
    diag_note(sim->diags, world_rel_place(sim->world, rel), "%s '%s'",
              derived ? "the derivative of equation" : "equation",
              explain_rel(sim, derived ? origin : rel));
}

static void tell_culprits(Sim *sim, Culprits *c)
{
    char who[TEXT] = "", open[TEXT] = "";
    only_written(sim, c);
    Place place = world_rel_place(sim->world, c->rels[c->n_rels - 1]);
    bool components = world_components(sim->world, c->n_rels, c->rels, who, sizeof who);
    if (!components)
        snprintf(who, sizeof who, "%u equation%s", c->n_rels, c->n_rels == 1 ? "" : "s");
    list_vars(sim, c, open, sizeof open);
    const char *of = components ? "equations of " : "";
    if (c->n_rels == 1)
        diag_error(sim->diags, place, "at time %.10g, this equation says nothing", sim_clock(sim));
    else if (c->contradict)
        diag_error(sim->diags, place, "at time %.10g, %s%s contradict each other", sim_clock(sim),
                   of, who);
    else
        diag_error(sim->diags, place,
                   "at time %.10g, %s%s are not independent: one follows from the others",
                   sim_clock(sim), of, who);
    for (uint32_t i = 0; i < c->n_rels && i < LISTED; i++)
        note_equation(sim, c->rels[i]);
    if (c->n_rels > LISTED)
        diag_note(sim->diags, 0, "and %u more equations", c->n_rels - LISTED);
    diag_note(sim->diags, 0, "so that nothing determines %s", open);
}

/* False: the Jacobian is not singular, or too large for this, or that is not the reason. */
static bool explain_singular(Sim *sim, const EvalNode *node, LoopWhole *whole, bool *contradict)
{
    uint32_t n = loop_whole_size(whole);
    if (n > LARGEST || !loop_whole_derivatives(sim, whole))
        return false;
    Elimination e = elimination_open(sim, whole);
    eliminate(&e);
    bool told = e.rank < n;
    if (told) {
        Culprits c = {.rels = mem_alloc(sim->mem, n * sizeof *c.rels),
                      .vars = mem_alloc(sim->mem, n * sizeof *c.vars)};
        find_rels(sim, &e, node, whole, &c);
        find_vars(&e, whole, &c);
        told = node->linear || !c.contradict; /* else the derivatives only vanish here */
        *contradict = c.contradict;
        if (told)
            tell_culprits(sim, &c);
        mem_free(sim->mem, c.rels);
        mem_free(sim->mem, c.vars);
    }
    elimination_close(sim, &e);
    return told;
}

/* ---- the equation that is violated most ---- */

static double violation(Sim *sim, const EvalNode *node, const LoopWhole *whole, uint32_t i,
                        double r)
{
    double size = loop_check_size(sim, &node->ops[i], loop_whole_code(whole, i));
    if (!isfinite(r))
        return INFINITY;
    return r == 0 ? 0 : size > 0 && isfinite(size) ? fabs(r) / size : fabs(r);
}

static uint32_t worst_relation(Sim *sim, const EvalNode *node, const LoopWhole *whole,
                               const double *r)
{
    uint32_t worst = 0;
    double most = -1;
    for (uint32_t i = 0; i < loop_whole_size(whole); i++) {
        double amount = violation(sim, node, whole, i, r[i]);
        if (amount > most) {
            most = amount;
            worst = i;
        }
    }
    return worst;
}

/* True: it has a value, so that other values might satisfy it. */
static bool explain_worst(Sim *sim, const EvalNode *node, LoopWhole *whole)
{
    uint32_t n = loop_whole_size(whole);
    double *r = mem_alloc(sim->mem, n * sizeof *r);
    loop_whole_residuals(sim, whole, r);
    uint32_t worst = worst_relation(sim, node, whole, r);
    const EvalOp *op = &node->ops[worst];
    char off[60] = "has no value";
    bool finite = isfinite(r[worst]);
    if (finite)
        snprintf(off, sizeof off, "is off by %.6g", r[worst]);
    diag_error(sim->diags, world_rel_place(sim->world, op->rel),
               "at time %.10g, %u equation%s could not be solved for %s%s: %s %s", sim_clock(sim),
               n, n > 1 ? "s that depend on each other" : "", explain_var(sim, node_tears(node)[0]),
               node->n_tears > 1 ? " and others" : "", explain_rel(sim, op->rel), off);
    explain_values_of(sim, op->rel);
    mem_free(sim->mem, r);
    return finite;
}

SolStatus loop_explain(Sim *sim, EvalNode *node, const char *tried)
{
    LoopWhole *whole = loop_whole_open(sim, node);
    bool contradict = false, told = explain_singular(sim, node, whole, &contradict);
    if (!told && explain_worst(sim, node, whole) && tried)
        diag_note(sim->diags, 0, "%s", tried);
    loop_whole_close(sim, whole);
    return told && contradict && sim->eval.combining ? SOL_MODEL : SOL_NUMERICS;
}
