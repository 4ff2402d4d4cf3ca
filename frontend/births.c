/* births.c: members of a body and what their parameters need -> an order in which they can be
 * created.
 *
 * The order of declarations means nothing, but an instance needs its parameters at its birth: the
 * variables they are computed from and the members its aliases refer to must be there before. So
 * each member comes after all members of the same body that its parameter list, or its default
 * value, names; apart from that the order is that of declaration. Depth first, with an explicit
 * stack; a member that is reached while it is on the stack is part of a circle. */
#include "frontend/resolve_int.h"

typedef struct Need {
    const Member *member;
    Place at;
} Need;

typedef struct Visit {
    Member *member;
    uint32_t next, end; /* of its needs */
} Visit;

typedef struct Births {
    Program *program;
    Body *body;
    Level *level;
    Progress *state; /* by index of the member */
    uint32_t n;      /* members in body->births */
    VEC(Need) needs;
    VEC(Visit) stack;
} Births;

/* ---- what an expression names ---- */

static void need_expr(Births *b, const RExpr *e);

static void need_path(Births *b, const Path *path)
{
    if (path->step[0]->body == b->body)
        vec_push(b->program->mem, &b->needs, ((Need){path->step[0], path->at}));
    for (uint32_t i = 0; path->index && i < path->n; i++)
        for (uint32_t k = 0; k < path->index[i].n; k++)
            need_expr(b, path->index[i].at[k]);
}

static void need_params(Births *b, const ParamList *params);

static void need_expr(Births *b, const RExpr *e)
{
    if (e->path)
        need_path(b, e->path);
    for (uint32_t i = 0; i < e->n; i++)
        need_expr(b, e->arg[i]);
    if (e->start)
        need_expr(b, e->start);
    if (!e->access)
        return;
    if (e->access->path)
        need_path(b, e->access->path);
    need_params(b, &e->access->params);
    for (uint32_t i = 0; i < e->access->n_ins; i++)
        need_expr(b, e->access->in[i].value);
}

static void need_params(Births *b, const ParamList *params)
{
    for (uint32_t i = 0; i < params->n; i++)
        need_expr(b, params->arg[i].value);
}

/* ---- the order ---- */

static void begin(Births *b, Member *m)
{
    Visit visit = {m, b->needs.n, 0};
    need_params(b, &m->params);
    for (uint32_t i = 0; i < m->rank; i++)
        need_expr(b, m->size[i]);
    if (m->value)
        need_expr(b, m->value);
    if (m->start)
        need_expr(b, m->start);
    if (m->nominal_by)
        need_expr(b, m->nominal_by);
    visit.end = b->needs.n;
    b->state[m->index] = BUSY;
    vec_push(b->program->mem, &b->stack, visit);
}

static void report_circle(Births *b, const Need *need)
{
    resolve_error(b->level, need->at, "circular: '%s' is needed to create itself",
                  intern_text(&b->program->names, need->member->name));
}

static void finish(Births *b)
{
    Visit visit = vec_pop(&b->stack);
    b->needs.n = b->stack.n ? vec_last(&b->stack).end : 0;
    b->state[visit.member->index] = DONE;
    b->body->births[b->n++] = visit.member;
}

static void visit_all(Births *b)
{
    while (b->stack.n) {
        Visit *top = &vec_last(&b->stack);
        if (top->next == top->end) {
            finish(b);
            continue;
        }
        Need need = b->needs.at[top->next++];
        if (b->state[need.member->index] == TODO)
            begin(b, (Member *)need.member);
        else if (b->state[need.member->index] == BUSY)
            report_circle(b, &need);
    }
}

void births_order(Context *cx)
{
    Program *p = cx->program;
    Births b = {.program = p, .body = cx->body, .level = cx->level};
    b.body->births = arena_alloc(&p->arena, b.body->n_members * sizeof *b.body->births);
    b.state = mem_alloc(p->mem, (b.body->n_members + 1) * sizeof *b.state);
    for (uint32_t i = 0; i < b.body->n_members; i++)
        if (b.state[i] == TODO) {
            begin(&b, b.body->members[i]);
            visit_all(&b);
        }
    mem_free(p->mem, b.state);
    vec_free(p->mem, &b.needs);
    vec_free(p->mem, &b.stack);
}
