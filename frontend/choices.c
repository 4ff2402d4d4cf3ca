/* choices.c: an Integer expression that meets a Real -> the conditional expressions in it have Real values.
 *
 * What has an Integer value is held, and known before the update in which it changes is solved. A Real one is an equation in a
 * branch, so that it may be a piece of the equation around it: `u = s*(if s < 0 then 1 else 0)`. */
#include "frontend/resolve_int.h"

static RExpr *value_around(Context *cx, Member *value, const RExpr *from)
{
    RExpr *e = expr_new(cx, R_PATH, value->type, from->at);
    e->path = arena_alloc(&cx->program->arena, sizeof *e->path);
    *e->path = (Path){.up = 1, .n = 1, .at = from->at};
    e->path->step = arena_alloc(&cx->program->arena, sizeof *e->path->step);
    e->path->step[0] = value;
    e->continuous = from->continuous;
    return e;
}

/* The `if` that determines a value which nobody declared; NULL: something else does. */
static Stmt *if_of(const Member *value)
{
    const Body *body = value->body;
    for (uint32_t i = body->n_stmts; i-- > 0;)
        if (body->stmts[i]->member == value)
            return body->stmts[i]->kind == S_IF ? body->stmts[i] : NULL;
    return NULL;
}

static void make_real(Context *cx, Body *branch, Member *value)
{
    for (uint32_t i = 0; i < branch->n_stmts; i++) {
        Stmt *s = branch->stmts[i];
        if (s->kind != S_COPY_VALUE || s->path->step[0] != value)
            continue;
        s->kind = S_EQUATION;
        s->path = NULL;
        s->a = value_around(cx, value, s->b);
        choices_meet_real(cx, s->b);
    }
}

static bool keeps_reals(XOp op)
{
    return op == X_NEG || op == X_ADD || op == X_SUB || op == X_MUL || op == X_ABS || op == X_MIN ||
           op == X_MAX;
}

void choices_meet_real(Context *cx, RExpr *e)
{
    if (e->type.kind != TYPE_INTEGER)
        return;
    if (e->kind == R_OP && keeps_reals((XOp)e->op)) {
        for (uint32_t i = 0; i < e->n; i++) {
            choices_meet_real(cx, e->arg[i]);
            if (e->arg[i]->type.kind == TYPE_REAL)
                e->type.kind = TYPE_REAL;
        }
        return;
    }
    if (e->kind != R_PATH || e->path->up || e->path->n != 1 || !e->path->step[0]->hidden)
        return;
    Member *value = e->path->step[0];
    Stmt *s = if_of(value);
    if (!s)
        return;
    value->type.kind = e->type.kind = TYPE_REAL;
    value->held = false;
    make_real(cx, s->then_body, value);
    make_real(cx, s->else_body, value);
}
