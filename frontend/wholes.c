/* wholes.c: `a = b` of sub-models -> equations between the variables of their interfaces; both ends of a connection -> what it joins.
 *
 * Both have equal types. Each variable of basic type that is no parameter is related with the one of the same name, those of
 * static parts too (Sol thesis, 6.2.1): flows as they are, without a change of sign. What comes out are equations as if they had
 * been written one by one, so arrays of models need nothing of their own. */
#include "frontend/resolve_int.h"
#include "frontend/types.h"

/* The member that a bare name means, or NULL. */
static const Member *named(Context *cx, const AExpr *a)
{
    if (a->kind != A_MEMBER || a->paren || a->member->params.present || a->member->ins.present ||
        a->member->question || cx->call)
        return NULL;
    const Member *m = elements_last(cx, elements_named(cx, &a->member->name));
    return m && m->type.kind == TYPE_MODEL && !m->list ? m : NULL;
}

AExpr *wholes_part(Context *cx, const AExpr *whole, Sym name)
{
    Arena *arena = &cx->program->arena;
    AExpr *part = arena_alloc(arena, sizeof *part);
    const ADesignator *d = &whole->member->name;
    *part = *whole;
    part->member = arena_alloc(arena, sizeof *part->member);
    part->member->name.n = d->n + 1;
    part->member->name.name = arena_alloc(arena, (d->n + 1) * sizeof *d->name);
    for (uint32_t i = 0; i < d->n; i++)
        part->member->name.name[i] = d->name[i];
    part->member->name.name[d->n] = (AName){name, whole->at, NULL};
    return part;
}

/* How many equations it gave. Static parts do not contain themselves. */
static uint32_t relate_parts(Context *cx, const AStmt *a, Def *def, WholeRelation *equation)
{
    uint32_t n = 0;
    body_interface(def);
    for (uint32_t i = 0; i < def->body->n_members; i++) {
        const Member *m = def->body->members[i];
        if (!m->is_public || m->parameter || m->binding != BIND_STATIC)
            continue;
        AStmt part = *a;
        Context inside = *cx;
        part.lhs = wholes_part(cx, a->lhs, m->name);
        part.rhs = wholes_part(cx, a->rhs, m->name);
        if (m->type.kind == TYPE_MODEL) {
            n += relate_parts(cx, &part, m->type.def, equation);
        } else if (type_is_basic(m->type)) {
            if (!loop_relation(&inside, &part, equation))
                equation(&inside, &part);
            n++;
        }
    }
    return n;
}

bool wholes_relate(Context *cx, const AStmt *a, WholeRelation *equation)
{
    Program *p = cx->program;
    const Member *x = named(cx, a->lhs), *y = named(cx, a->rhs);
    Mismatch why;
    if (!x || !y)
        return false;
    if (!types_is_sub(x->type, y->type, &why) || !types_is_sub(y->type, x->type, &why))
        resolve_error(cx->level, a->operator_at,
                      "an equation between models of different types: %s", types_reason(p, &why));
    else if (!relate_parts(cx, a, x->type.def, equation))
        resolve_error(cx->level, a->operator_at,
                      "these models have no variables that an equation could relate");
    return true;
}

/* ---- connections ---- */

static bool is_inner(const Member *m)
{
    return m->type.kind == TYPE_MODEL && m->type.def->kind == DEF_CONNECTOR &&
           m->binding == BIND_STATIC && !m->parameter;
}

static void join_members(Def *a, Def *b, uint32_t depth, WholeJoined *each, void *context)
{
    bool connectors = a->kind == DEF_CONNECTOR && b->kind == DEF_CONNECTOR && depth > 0;
    body_interface(a);
    body_interface(b);
    for (uint32_t i = 0; i < a->body->n_members; i++) {
        const Member *m = a->body->members[i], *other = body_find(b->body, m->name);
        if (other && m->con != CON_NONE && other->con != CON_NONE)
            each(context, m, other);
        else if (other && connectors && is_inner(m) && is_inner(other))
            join_members(m->type.def, other->type.def, depth - 1, each, context);
    }
}

void wholes_joined(Def *a, Def *b, WholeJoined *each, void *context)
{
    enum { DEEPEST = 64 }; /* connectors that contain themselves are told elsewhere */
    join_members(a, b, DEEPEST, each, context);
}
