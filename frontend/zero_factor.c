/* zero_factor.c: a product of which one factor may be 0 -> a conditional expression of products.
 *
 * s*(if off then 0 else 1) -> if off then 0 else s*1: where the factor is 0 the equation does not name s, so that
 * structure knows what numbers do. */
#include "frontend/resolve_int.h"

static bool is_zero(const AExpr *a)
{
    return (a->kind == A_INTEGER || a->kind == A_REAL) && a->k == 0;
}

/* if .. then 0 else .., or the other way round, also in chains */
static bool may_be_zero(const AExpr *a)
{
    return a->kind == A_CHOICE && (is_zero(a->a) || is_zero(a->b) || may_be_zero(a->b));
}

/* A factor that is 0 in every branch is moved into none: nobody would look at the other one. */
static bool is_all_zero(const AExpr *a)
{
    return is_zero(a) || (a->kind == A_CHOICE && is_all_zero(a->a) && is_all_zero(a->b));
}

/* Made of names and numbers: nothing in it asks where it stands. */
static bool is_movable(const AExpr *a)
{
    if (a->kind == A_UNARY)
        return is_movable(a->a);
    if (a->kind == A_BINARY)
        return is_movable(a->a) && is_movable(a->b);
    if (a->kind == A_MEMBER)
        return !a->member->ins.present && !a->member->params.present && !a->member->question;
    return a->kind == A_INTEGER || a->kind == A_REAL;
}

/* One branch of the choice times the factor. */
static AExpr *scaled(Context *cx, const AExpr *product, AExpr *branch, bool left)
{
    if (is_zero(branch))
        return branch;
    AExpr *e = arena_alloc(&cx->program->arena, sizeof *e);
    *e = *product;
    *(left ? &e->a : &e->b) = branch;
    return e;
}

RExpr *zero_factor_product(Context *cx, const AExpr *a)
{
    bool left = may_be_zero(a->a);
    const AExpr *factor = left ? a->b : a->a, *choice = left ? a->a : a->b;
    if (a->op != T_STAR || !may_be_zero(choice) || is_all_zero(choice) || !is_movable(factor) ||
        cx->at_birth || cx->no_event || !cx->body)
        return NULL;
    AExpr *e = arena_alloc(&cx->program->arena, sizeof *e);
    *e = *choice;
    e->a = scaled(cx, a, choice->a, left);
    e->b = scaled(cx, a, choice->b, left);
    return expr_resolve(cx, e, WANT_VALUE);
}
