/* verify_definitions.c: definitions -> the first broken promise of definition.h, or nothing.
 *
 * Runs after each completion in builds with SOLSTICE_VERIFY. Only programs without errors promise
 * anything. Recursion is bounded by the nesting of branches and the depth of expressions. */
#include "frontend/resolve_int.h"

#include <stdio.h>

typedef struct Verifier {
    Program *program;
    const Body *body;
    bool *slot_used; /* by number of the slot in `body` */
    const char *broken;
    Place at;
} Verifier;

static void require(Verifier *v, bool holds, const char *invariant, Place at)
{
    if (holds || v->broken)
        return;
    v->broken = invariant;
    v->at = at;
}

static bool is_completed(const Def *def)
{
    return def && def->body && def->text->statements == DONE;
}

static void verify_path(Verifier *v, const Path *path, Place at)
{
    const Body *body = v->body;
    require(v, path && path->n > 0, "F3: a path has a step", at);
    if (v->broken)
        return;
    for (uint32_t i = 0; i < path->up && body; i++)
        body = body->parent;
    for (uint32_t i = 0; i < path->n; i++) {
        const Member *m = path->step[i];
        require(v, body && m->body == body,
                "F5: each step is a member of what the one before holds", at);
        body = m->type.kind == TYPE_MODEL ? m->type.def->body : NULL;
        if (m->element > ELEMENT_OF && i + 1 < path->n)
            body = path->step[i + 1]->body; /* a round of the loop */
    }
}

static void verify_expr(Verifier *v, const RExpr *e, uint32_t depth);

static void verify_params(Verifier *v, const Def *def, const ParamList *params, uint32_t depth)
{
    for (uint32_t i = 0; i < params->n; i++) {
        require(
            v, params->arg[i].parameter->body == def->body && params->arg[i].parameter->parameter,
            "F6: what a parameter list names is a parameter of the definition", params->arg[i].at);
        verify_expr(v, params->arg[i].value, depth + 1);
    }
}

static void verify_access(Verifier *v, const RExpr *e, uint32_t depth)
{
    const Access *access = e->access;
    require(v, is_completed(access->def),
            "F1: the definition of an anonymous instance is completed", e->at);
    require(v, (access->path != NULL) == (e->slot == SLOT_NONE),
            "F7: exactly the anonymous instances have a slot", e->at);
    if (v->broken)
        return;
    if (access->path)
        verify_path(v, access->path, e->at);
    verify_params(v, access->def, &access->params, depth);
    for (uint32_t i = 0; i < access->n_ins; i++) {
        require(v, access->in[i].in->body == access->def->body && access->in[i].in->io == IO_IN,
                "F6: what parentheses name is an in member of the definition", access->in[i].at);
        verify_expr(v, access->in[i].value, depth + 1);
    }
}

static void verify_expr(Verifier *v, const RExpr *e, uint32_t depth)
{
    require(v, e && e->type.kind != TYPE_ERROR, "F3: every expression has a type", e ? e->at : 0);
    require(v, depth <= 2 * DEFINITION_MAX_EXPR_DEPTH, "F4: expressions are bounded in depth",
            e ? e->at : 0);
    if (v->broken)
        return;
    if (e->slot != SLOT_NONE) {
        require(v, e->slot < v->body->n_slots && !v->slot_used[e->slot],
                "F7: slots are dense, and each has one owner", e->at);
        if (!v->broken)
            v->slot_used[e->slot] = true;
    }
    if (e->kind == R_PATH || e->kind == R_EXISTS || e->kind == R_PRE)
        verify_path(v, e->path, e->at);
    if (e->kind == R_ACCESS && !v->broken)
        verify_access(v, e, depth);
    for (uint32_t i = 0; i < e->n && !v->broken; i++)
        verify_expr(v, e->arg[i], depth + 1);
    if (e->start && !v->broken)
        verify_expr(v, e->start, depth + 1);
}

static void verify_member(Verifier *v, const Member *m, uint32_t index)
{
    require(v, m->index == index && m->body == v->body, "F2: members know their body and number",
            m->at);
    require(v, m->type.kind != TYPE_MODEL || is_completed(m->type.def),
            "F1: the definition of a member is completed", m->at);
    if (m->type.kind == TYPE_MODEL && !v->broken)
        verify_params(v, m->type.def, &m->params, 0);
    if (m->value && !v->broken)
        verify_expr(v, m->value, 0);
    if (m->start && !v->broken)
        verify_expr(v, m->start, 0);
}

/* Each member is born once, and after those of the same body that its aliases refer to. */
static void verify_births(Verifier *v)
{
    const Body *body = v->body;
    bool *born = mem_alloc(v->program->mem, body->n_members + 1);
    for (uint32_t i = 0; i < body->n_members && !v->broken; i++) {
        const Member *m = body->births[i];
        for (uint32_t k = 0; k < m->params.n; k++) {
            const RExpr *e = m->params.arg[k].value;
            const Member *needed = e->kind == R_PATH ? e->path->step[0] : NULL;
            require(v, !needed || needed->body != body || born[needed->index],
                    "F8: a member is born after what its parameters name", m->at);
        }
        require(v, m->body == body && !born[m->index], "F8: each member is born once", m->at);
        born[m->index] = true;
    }
    mem_free(v->program->mem, born);
}

static void verify_body(Program *p, const Body *body, Verifier *outcome);

static void verify_stmt(Verifier *v, const Stmt *s)
{
    require(v, s->body == v->body, "F3: statements know their body", s->at);
    if (s->path && !v->broken)
        verify_path(v, s->path, s->at);
    if (s->a && !v->broken)
        verify_expr(v, s->a, 0);
    if (s->b && !v->broken)
        verify_expr(v, s->b, 0);
    bool branches = s->kind == S_IF || s->kind == S_WHEN || s->kind == S_FOR;
    require(v, branches == (s->then_body != NULL), "F3: exactly if and when have branches", s->at);
    if (branches && !v->broken)
        verify_body(v->program, s->then_body, v);
    if (s->else_body && !v->broken)
        verify_body(v->program, s->else_body, v);
}

static void verify_body(Program *p, const Body *body, Verifier *outcome)
{
    Verifier v = {.program = p, .body = body, .slot_used = mem_alloc(p->mem, body->n_slots + 1)};
    for (uint32_t i = 0; i < body->n_members && !v.broken; i++)
        verify_member(&v, body->members[i], i);
    verify_births(&v);
    for (uint32_t i = 0; i < body->n_stmts && !v.broken; i++)
        verify_stmt(&v, body->stmts[i]);
    for (uint32_t i = 0; i < body->n_slots; i++)
        require(&v, v.slot_used[i], "F7: slots are dense, and each has one owner", body->def->at);
    for (uint32_t i = 0; i < body->n_held && !v.broken; i++)
        verify_path(&v, &body->held[i], body->def->at);
    mem_free(p->mem, v.slot_used);
    outcome->broken = v.broken;
    outcome->at = v.at;
}

const char *verify_definitions(Program *p, Place *at)
{
    Verifier v = {.program = p};
    for (uint32_t i = 0; i < p->defs.n && !v.broken && !p->diags.errors; i++)
        if (is_completed(p->defs.at[i]))
            verify_body(p, p->defs.at[i]->body, &v);
    *at = v.at;
    return v.broken;
}
