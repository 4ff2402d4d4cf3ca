/* wholes.c: `a = b` of sub-models -> equations between the variables of their interfaces.
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

static AExpr *part_of(Context *cx, const AExpr *whole, Sym name)
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
        part.lhs = part_of(cx, a->lhs, m->name);
        part.rhs = part_of(cx, a->rhs, m->name);
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
