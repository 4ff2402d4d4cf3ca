/* number of relations -> a DDP full of equal cells. */
#include "tests/support/cell_model.h"

#include <string.h>

/* ---- forms ---- */

static X pos(CellModel *m, uint32_t i)
{
    return x_pos(m->forms, i);
}

static X two(CellModel *m, XOp op, X a, X b)
{
    return x_binary(m->forms, op, a, b);
}

static void make_forms(CellModel *m)
{
    X one = x_const(m->forms, 1), half = x_const(m->forms, 0.5), three = x_const(m->forms, 3);
    X sum = pos(m, 1);

    m->copy = form_make(m->forms, pos(m, 0), pos(m, 1), 2);
    m->flow =
        form_make(m->forms, pos(m, 0), two(m, X_MUL, half, two(m, X_SUB, pos(m, 1), pos(m, 2))), 3);
    m->slope = form_make(m->forms, pos(m, 0), two(m, X_MUL, three, pos(m, 1)), 2);
    m->loop[0] = form_make(m->forms, two(m, X_ADD, pos(m, 0), pos(m, 1)), pos(m, 2), 3);
    m->loop[1] = form_make(m->forms, two(m, X_SUB, pos(m, 0), pos(m, 1)), pos(m, 2), 3);
    m->loop[2] =
        form_make(m->forms, two(m, X_ADD, pos(m, 0), two(m, X_MUL, three, pos(m, 1))), one, 2);
    m->other =
        form_make(m->forms, two(m, X_ADD, pos(m, 0), two(m, X_MUL, half, pos(m, 1))), three, 2);
    m->start = form_make(m->forms, pos(m, 0), two(m, X_ADD, pos(m, 1), pos(m, 2)), 3);
    m->next[0] = form_make(m->forms, pos(m, 0), two(m, X_ADD, pos(m, 1), one), 2);
    m->next[1] = form_make(m->forms, pos(m, 0), two(m, X_SUB, three, pos(m, 1)), 2);
    m->drive[0] = form_make(m->forms, pos(m, 0), x_unary(m->forms, X_SIN, pos(m, 1)), 2);
    m->drive[1] = form_make(m->forms, two(m, X_ADD, pos(m, 0), pos(m, 1)), three, 2);
    for (uint32_t n = 1; n <= FANOUT; n++) {
        m->sum[n] = form_make(m->forms, pos(m, 0), sum, n + 1);
        sum = two(m, X_ADD, sum, pos(m, n + 1));
    }
}

static DdpRel equation(CellModel *m, Form form, uint32_t n, DdpVar a, DdpVar b, DdpVar c)
{
    DdpVar vars[3] = {a, b, c};
    return ddp_enter_rel(m->ddp, DDP_EQUATION, form, n, vars, 0, 0);
}

static DdpRel enter_sum(CellModel *m, DdpVar sum, uint32_t n, const DdpVar *term)
{
    DdpVar vars[FANOUT + 1] = {sum};

    memcpy(vars + 1, term, n * sizeof *term);
    return ddp_enter_rel(m->ddp, DDP_EQUATION, m->sum[n], n + 1, vars, 0, 0);
}

/* ---- cells ---- */

/* Variables: 0 pin, 1 current, 2 charge, 3 its slope, 4..6 loop, 7..24 chain. */
static void enter_cell(CellModel *m, Cell *cell)
{
    DdpVar *v = cell->var;
    DdpRel *r = cell->rel;

    for (uint32_t i = 0; i < CELL; i++)
        v[i] = ddp_enter_var(m->ddp, DDP_UNKNOWN);
    r[0] = equation(m, m->copy, 2, v[0], m->common ? m->node : m->source, 0);
    r[1] = equation(m, m->flow, 3, v[1], v[0], v[2]);
    r[2] = ddp_enter_rel(m->ddp, DDP_DERIVATIVE, 0, 2, (DdpVar[]){v[3], v[2]}, 0, 0);
    r[3] = equation(m, m->slope, 2, v[3], v[1], 0);
    r[4] = equation(m, m->loop[0], 3, v[4], v[5], v[2]);
    r[5] = equation(m, m->loop[1], 3, v[5], v[6], v[1]);
    r[6] = equation(m, m->loop[2], 2, v[6], v[4], 0);
    r[7] = equation(m, m->start, 3, v[7], v[4], v[6]);
    for (uint32_t i = 8; i < CELL; i++)
        r[i] = equation(m, m->next[0], 2, v[i], v[i - 1], 0);
}

static void leaf_enter(CellModel *m, Leaf *leaf)
{
    leaf->rel = enter_sum(m, leaf->sum, leaf->n, leaf->term);
}

uint32_t cell_add(CellModel *model, uint32_t leaf)
{
    CellModel *m = model;
    Cell cell = {.leaf = leaf};

    enter_cell(m, &cell);
    if (m->common) {
        Leaf *l = &m->leaves.at[leaf];
        if (l->rel)
            ddp_remove_rel(m->ddp, l->rel);
        l->term[l->n++] = cell.var[1];
        leaf_enter(m, l);
    }
    vec_push(m->mem, &m->cells, cell);
    return m->cells.n - 1;
}

void cell_replace(CellModel *model, uint32_t cell)
{
    CellModel *m = model;
    Cell *c = &m->cells.at[cell];

    for (uint32_t i = 10; i < CELL; i++)
        ddp_remove_rel(m->ddp, c->rel[i]);
    for (uint32_t i = 10; i < CELL; i++)
        c->rel[i] = i % 2 ? equation(m, m->next[1], 2, c->var[i], c->var[i - 1], 0)
                          : equation(m, m->start, 3, c->var[i], c->var[i - 1], c->var[8]);
    ddp_remove_rel(m->ddp, c->rel[6]);
    c->rel[6] = equation(m, m->other, 2, c->var[6], c->var[4], 0);
}

static void leave_leaf(CellModel *m, const Cell *cell)
{
    Leaf *l = &m->leaves.at[cell->leaf];
    uint32_t at = 0;

    while (l->term[at] != cell->var[1])
        at++;
    ddp_remove_rel(m->ddp, l->rel);
    l->term[at] = l->term[--l->n];
    leaf_enter(m, l);
}

void cell_remove(CellModel *model, uint32_t cell)
{
    CellModel *m = model;
    Cell *c = &m->cells.at[cell];

    if (m->common)
        leave_leaf(m, c);
    for (uint32_t i = 0; i < CELL; i++)
        ddp_remove_rel(m->ddp, c->rel[i]);
    for (uint32_t i = 0; i < CELL; i++)
        ddp_remove_var(m->ddp, c->var[i]);
    m->cells.at[cell] = vec_pop(&m->cells); /* the last one takes its index */
}

void cell_redrive(CellModel *model)
{
    CellModel *m = model;

    ddp_remove_rel(m->ddp, m->driven);
    m->driven = equation(m, m->drive[++m->drives % 2], 2, m->node, m->clock, 0);
}

/* ---- the whole ---- */

/* One level of sums over `n` terms; returns how many sums there are. */
static uint32_t add_level(CellModel *m, DdpVar *term, uint32_t n)
{
    uint32_t sums = 0;

    for (uint32_t at = 0; at < n; at += FANOUT) {
        uint32_t count = n - at < FANOUT ? n - at : FANOUT;
        DdpVar sum = ddp_enter_var(m->ddp, DDP_UNKNOWN);
        enter_sum(m, sum, count, term + at);
        term[sums++] = sum; /* behind what is still to be read */
    }
    return sums;
}

static void add_node(CellModel *m, uint32_t cells)
{
    uint32_t n = cells / (FANOUT - 1) + 1; /* one place stays free in every leaf */

    m->node = ddp_enter_var(m->ddp, DDP_UNKNOWN);
    m->driven = equation(m, m->drive[0], 2, m->node, m->clock, 0);
    DdpVar *term = mem_alloc(m->mem, n * sizeof *term);
    for (uint32_t i = 0; i < n; i++) {
        Leaf leaf = {.sum = ddp_enter_var(m->ddp, DDP_UNKNOWN)};
        term[i] = leaf.sum;
        vec_push(m->mem, &m->leaves, leaf);
    }
    while (n > 1)
        n = add_level(m, term, n);
    mem_free(m->mem, term);
}

CellModel *cell_open(Mem *mem, uint32_t relations, bool common)
{
    CellModel *m = mem_alloc(mem, sizeof *m);
    uint32_t cells = relations / CELL;

    m->mem = mem;
    m->common = common;
    m->forms = forms_open(mem);
    m->ddp = ddp_open(mem, m->forms);
    make_forms(m);
    m->source = ddp_enter_var(m->ddp, DDP_KNOWN);
    m->clock = ddp_enter_var(m->ddp, DDP_TIME);
    if (common)
        add_node(m, cells);
    for (uint32_t i = 0; i < cells; i++) {
        Cell cell = {.leaf = i / (FANOUT - 1)};
        enter_cell(m, &cell);
        vec_push(mem, &m->cells, cell);
        if (common) {
            Leaf *leaf = &m->leaves.at[cell.leaf];
            leaf->term[leaf->n++] = cell.var[1];
        }
    }
    for (uint32_t i = 0; i < m->leaves.n; i++) {
        Leaf *leaf = &m->leaves.at[i];
        if (leaf->n == 0) /* a sum of nothing: the node's potential will do */
            leaf->term[leaf->n++] = m->node;
        leaf_enter(m, leaf);
    }
    return m;
}

void cell_close(CellModel *model)
{
    Mem *mem = model->mem;

    ddp_close(model->ddp);
    forms_close(model->forms);
    vec_free(mem, &model->cells);
    vec_free(mem, &model->leaves);
    mem_free(mem, model);
}
