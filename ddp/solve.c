/* solve.c: equation -> what it can be solved for, and how. See expr.h.
 *
 * For one position, a pass over the nodes of both sides, operands first, writes each node as
 * factor*position + rest, or finds that it cannot be written so. Nodes that do not use the position
 * are their own rest; so rests are made of the nodes the modeller wrote, and `u = R*i` gives i =
 * u/R and nothing longer. */
#include "ddp/expr_int.h"

#include "ddp/apply.h"

#include <string.h>

enum { NONLINEAR = UINT32_MAX }; /* in place of a factor */

/* A node as factor*position + rest. Factor 0 (none): free of the position, rest is the node. */
typedef struct Linear {
    X factor, rest;
} Linear;

static Linear linear_at(const XWalk *walk, X x)
{
    uint32_t i = walk->place[x];
    return (Linear){walk->first.at[i], walk->second.at[i]};
}

static X factor_or_zero(FormTable *table, Linear l)
{
    return l.factor ? l.factor : x_const(table, 0);
}

static Linear linear_sum(FormTable *table, XOp op, Linear a, Linear b)
{
    X factor = x_simple(table, op, factor_or_zero(table, a), factor_or_zero(table, b));
    return (Linear){factor, x_simple(table, op, a.rest, b.rest)};
}

static Linear linear_product(FormTable *table, Linear a, Linear b)
{
    if (a.factor && b.factor)
        return (Linear){NONLINEAR, 0};
    X rest = x_simple(table, X_MUL, a.rest, b.rest);
    if (a.factor)
        return (Linear){x_simple(table, X_MUL, a.factor, b.rest), rest};
    return (Linear){x_simple(table, X_MUL, a.rest, b.factor), rest};
}

static Linear linear_quotient(FormTable *table, Linear a, Linear b)
{
    if (b.factor)
        return (Linear){NONLINEAR, 0};
    return (Linear){x_simple(table, X_DIV, a.factor, b.rest),
                    x_simple(table, X_DIV, a.rest, b.rest)};
}

static Linear linear_select(FormTable *table, Linear condition, Linear yes, Linear no)
{
    if (condition.factor)
        return (Linear){NONLINEAR, 0};
    X factor = x_simple_select(table, condition.rest, factor_or_zero(table, yes),
                               factor_or_zero(table, no));
    return (Linear){factor, x_simple_select(table, condition.rest, yes.rest, no.rest)};
}

/* A node one of whose operands uses the position, all of them linear. */
static Linear linear_combine(FormTable *table, const XWalk *walk, XNode node)
{
    Linear zero = {0, 0};
    switch (node.op) {
    case X_NEG:
        zero.rest = x_const(table, 0);
        return linear_sum(table, X_SUB, zero, linear_at(walk, node.a));
    case X_ADD:
    case X_SUB:
        return linear_sum(table, node.op, linear_at(walk, node.a), linear_at(walk, node.b));
    case X_MUL:
        return linear_product(table, linear_at(walk, node.a), linear_at(walk, node.b));
    case X_DIV:
        return linear_quotient(table, linear_at(walk, node.a), linear_at(walk, node.b));
    case X_SELECT:
        return linear_select(table, linear_at(walk, node.a), linear_at(walk, node.b),
                             linear_at(walk, node.c));
    default:
        return (Linear){NONLINEAR, 0};
    }
}

static Linear linear_node(FormTable *table, const XWalk *walk, X x, uint32_t position)
{
    XNode node = x_node(table, x);
    X child[3];
    bool uses = false;
    if (node.op == X_POS && node.a == position)
        return (Linear){x_const(table, 1), x_const(table, 0)};
    for (uint32_t i = xnode_children(node, child); i-- > 0;) {
        X factor = walk->first.at[walk->place[child[i]]];
        if (factor == NONLINEAR)
            return (Linear){NONLINEAR, 0};
        uses |= factor != 0;
    }
    return uses ? linear_combine(table, walk, node) : (Linear){0, x};
}

static void linear_pass(FormTable *table, XWalk *walk, uint32_t position)
{
    vec_reserve(table->mem, &walk->first, walk->order.n);
    vec_reserve(table->mem, &walk->second, walk->order.n);
    for (uint32_t i = 0; i < walk->order.n; i++) {
        Linear l = linear_node(table, walk, walk->order.at[i], position);
        walk->first.at[i] = l.factor;
        walk->second.at[i] = l.rest;
    }
}

bool x_linear(FormTable *table, X x, uint32_t position, X *factor, X *rest)
{
    XWalk *walk = xwalk_begin(table, 1, &x);
    linear_pass(table, walk, position);
    Linear l = linear_at(walk, x);
    xwalk_end(table, walk);
    if (l.factor == NONLINEAR)
        return false;
    *factor = factor_or_zero(table, l);
    *rest = l.rest;
    return true;
}

/* ---- equations ---- */

static Solvable solvable_by(const FormTable *table, X factor)
{
    XNode node = x_node(table, factor);
    if (node.op != X_CONST)
        return SOLVE_RISKY;
    return node.k != 0 && isfinite(node.k) ? SOLVE_SAFE : SOLVE_NOT;
}

/* a.factor*p + a.rest = b.factor*p + b.rest. With the position on one side alone, that side's
 * factor divides, so that no sign comes in that the equation does not have. */
static X solved_form(FormTable *table, Linear a, Linear b, X factor)
{
    if (!b.factor)
        return x_simple(table, X_DIV, x_simple(table, X_SUB, b.rest, a.rest), a.factor);
    if (!a.factor)
        return x_simple(table, X_DIV, x_simple(table, X_SUB, a.rest, b.rest), b.factor);
    return x_simple(table, X_DIV, x_simple(table, X_SUB, b.rest, a.rest), factor);
}

/* Does the nonlinear side move with the position, or only jump? */
static bool moves(FormTable *table, X side, uint32_t position)
{
    XNode slope = x_node(table, x_partial(table, side, position));
    return slope.op != X_CONST || slope.k != 0;
}

static FormPosition position_info(FormTable *table, Linear a, Linear b)
{
    FormPosition info = {.occurs = a.factor || b.factor};
    if (!info.occurs || a.factor == NONLINEAR || b.factor == NONLINEAR)
        return info;
    info.factor = x_simple(table, X_SUB, factor_or_zero(table, a), factor_or_zero(table, b));
    info.solvable = (uint8_t)solvable_by(table, info.factor);
    info.steers = info.solvable != SOLVE_NOT;
    if (info.steers)
        info.solved = solved_form(table, a, b, info.factor);
    return info;
}

/* Who writes 0*x wants x to be read. */
static bool has_zero_product(const FormTable *table, const XWalk *walk)
{
    for (uint32_t i = 0; i < walk->order.n; i++) {
        XNode node = x_node(table, walk->order.at[i]);
        if (node.op == X_MUL && (x_is_const(table, node.a, 0) || x_is_const(table, node.b, 0)))
            return true;
    }
    return false;
}

/* x*y + z = y*x: of x and y nothing is left. */
static void drop_cancelled(const FormTable *table, const XWalk *walk, uint32_t n,
                           FormPosition *position)
{
    for (uint32_t p = 0; p < n; p++)
        if (position[p].factor && x_is_const(table, position[p].factor, 0) &&
            !has_zero_product(table, walk))
            position[p].occurs = false;
}

static bool cancels(const FormPosition *position)
{
    return position->factor && !position->occurs;
}

static const FormInfo *info_make(FormTable *table, const FormEntry *form)
{
    FormInfo *info = arena_alloc(&table->arena, sizeof *info);
    FormPosition *position = arena_alloc(&table->arena, ((size_t)form->n + 1) * sizeof *position);
    *info = (FormInfo){form->lhs, form->rhs, form->n, position};
    X side[2] = {form->lhs, form->rhs};
    XWalk *walk = xwalk_begin(table, 2, side);
    for (uint32_t p = 0; p < info->n; p++) {
        linear_pass(table, walk, p);
        position[p] = position_info(table, linear_at(walk, side[0]), linear_at(walk, side[1]));
    }
    drop_cancelled(table, walk, info->n, position);
    xwalk_end(table, walk);
    for (uint32_t p = 0; p < info->n; p++)
        if (position[p].factor)
            position[p].factor_uses = table->uses.at[position[p].factor].mask;
        else if (position[p].occurs)
            position[p].steers = moves(table, side[0], p) || moves(table, side[1], p);
    return info;
}

/* Apart, so that looking up what is known needs no room for a copy. */
static __attribute__((noinline)) const FormInfo *info_new(FormTable *table, Form form)
{
    FormEntry entry = table->forms.at[form]; /* a copy: the table may grow */
    return table->forms.at[form].info = info_make(table, &entry);
}

const FormInfo *form_info(FormTable *table, Form form)
{
    const FormInfo *known = table->forms.at[form].info;
    return known ? known : info_new(table, form);
}

Form form_cancel(FormTable *table, Form form, uint32_t from)
{
    const FormInfo *info = form_info(table, form);
    for (uint32_t p = from; p < info->n; p++) {
        X factor, lhs, rhs;
        if (!cancels(&info->position[p]))
            continue;
        x_linear(table, info->lhs, p, &factor, &lhs);
        x_linear(table, info->rhs, p, &factor, &rhs);
        form = form_make(table, lhs, rhs, info->n);
        info = form_info(table, form);
    }
    return form;
}

static uint64_t form_hash(const FormEntry *form)
{
    return hash_u64(hash_u64((uint64_t)form->lhs << 32 | form->rhs) ^ form->n);
}

static uint64_t form_rehash(const FormTable *table, uint32_t number)
{
    return form_hash(&table->forms.at[number]);
}

static bool form_same(const FormTable *table, uint32_t number, const void *wanted)
{
    const FormEntry *a = &table->forms.at[number], *b = wanted;
    return a->lhs == b->lhs && a->rhs == b->rhs && a->n == b->n;
}

Form form_make(FormTable *table, X lhs, X rhs, uint32_t n)
{
    FormEntry entry = {.lhs = lhs, .rhs = rhs, .n = n};
    xindex_reserve(table, &table->form_index, form_rehash);
    uint32_t *slot = xindex_find(table, &table->form_index, form_hash(&entry), form_same, &entry);
    if (*slot)
        return *slot;
    Form form = table->forms.n;
    vec_push(table->mem, &table->forms, entry);
    table->form_index.n++;
    return *slot = form;
}

Form form_rename(FormTable *table, Form form, const uint32_t *map, uint32_t n)
{
    FormEntry entry = table->forms.at[form];
    X lhs = x_rename(table, entry.lhs, map), rhs = x_rename(table, entry.rhs, map);
    return form_make(table, lhs, rhs, n);
}
