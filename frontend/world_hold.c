/* world_hold.c: statements that come and go in instances that exist -> which variables are held.
 *
 * A variable is held while a statement that is there, in whatever branch, transmits to it; and one of the text that nothing
 * names stays as it is. That is known from the text when it is born; edits change it later. Then the targets of `<<` in the
 * statement, and what it names besides, are decided anew: the texts of the model that has the variable, and of those around
 * it, are looked through for another `<<` to it. Targets behind dynamic and alias members, and elements of arrays, stay
 * as they were born. */
#include "frontend/plan_int.h"
#include "frontend/world_edit.h"
#include "frontend/world_int.h"

#include <string.h>

enum { LONGEST = 64 }; /* steps of a target in parentheses */

/* A target of `<<` as it is written in the body `from`. */
typedef struct Aim {
    const Body *from;
    uint32_t up, n;
    Member *const *step;
} Aim;

typedef struct Search {
    World *world;
    InstId model;     /* whose text is looked through */
    bool parentheses; /* `m(x << 1)` too */
    bool names;       /* all paths */
    bool all;         /* statements that were taken away, too */
    void (*call)(struct Search *search, const Aim *aim);
    Target wanted; /* is_transmitted() */
    Sym name;      /* likewise: of the last step */
    bool found;
} Search;

/* ---- targets in a text ---- */

static void aims_of_body(Search *s, const Body *body);

static void aims_of_access(Search *s, const Body *from, const Access *access)
{
    for (uint32_t i = 0; access->path && i < access->n_ins; i++) {
        const InRel *in = &access->in[i];
        Member *step[LONGEST];
        uint32_t n = access->path->n;
        if (in->op != REL_COPY || n + 1 + in->n_rest > LONGEST)
            continue;
        memcpy(step, access->path->step, n * sizeof *step);
        step[n++] = in->in;
        for (uint32_t k = 0; k < in->n_rest; k++)
            step[n++] = in->rest[k];
        s->call(s, &(Aim){from, access->path->up, n, step});
    }
}

/* Expressions are bounded in depth (F4). */
static void aims_of_expr(Search *s, const Body *from, const RExpr *e)
{
    if (!e || s->found)
        return;
    for (uint32_t i = 0; i < e->n; i++)
        aims_of_expr(s, from, e->arg[i]);
    if (s->names && e->kind == R_PATH && !e->path->index)
        s->call(s, &(Aim){from, e->path->up, e->path->n, e->path->step});
    aims_of_expr(s, from, e->start);
    if (!e->access)
        return;
    aims_of_access(s, from, e->access);
    for (uint32_t i = 0; i < e->access->n_ins; i++)
        aims_of_expr(s, from, e->access->in[i].value);
}

static void aims_of_stmt(Search *s, const Stmt *stmt)
{
    if (stmt->kind != S_COPY_VALUE && !stmt->then_body && !s->parentheses)
        return;
    if (!s->all && world_edit_is_hidden(s->world, s->model, stmt->part_of ? stmt->part_of : stmt))
        return;
    if (stmt->kind == S_COPY_VALUE && !stmt->path->index)
        s->call(s, &(Aim){stmt->body, stmt->path->up, stmt->path->n, stmt->path->step});
    if (s->parentheses) {
        aims_of_expr(s, stmt->body, stmt->a);
        aims_of_expr(s, stmt->body, stmt->b);
    }
    aims_of_body(s, stmt->then_body);
    aims_of_body(s, stmt->else_body);
}

static void aims_of_body(Search *s, const Body *body)
{
    for (uint32_t i = 0; body && i < body->n_stmts && !s->found; i++)
        aims_of_stmt(s, body->stmts[i]);
}

/* ---- where they lead ---- */

/* Nowhere: through what may change, or to what is not there. */
static Target lead(const World *world, InstId model, const Aim *aim)
{
    const Body *body = aim->from;
    for (uint32_t i = 0; i < aim->up && body; i++)
        body = body->parent;
    Inst *inst = body ? edit_inst_of_body(world, model, body) : NULL;
    Target found = {0};
    for (uint32_t i = 0; i < aim->n && inst; i++) {
        const Member *m = aim->step[i];
        bool last = i + 1 == aim->n;
        if (m->rank || (!last && m->binding != BIND_STATIC))
            return (Target){0};
        uint32_t word = plan_member_word(inst->plan, m, &found.member);
        if (word == NO_WORD || !inst->word[word])
            return (Target){0};
        found.inst = inst;
        found.word = word;
        inst = last ? NULL : world_at(world, inst->word[word]);
    }
    return found;
}

static void compare_aim(Search *s, const Aim *aim)
{
    if (aim->step[aim->n - 1]->name != s->name)
        return;
    Target t = lead(s->world, s->model, aim);
    s->found |= t.inst == s->wanted.inst && t.word == s->wanted.word;
}

/* In the texts of the model, as it is and as it was edited. */
static bool transmits(World *world, InstId model, const Target *wanted)
{
    Search s = {.world = world,
                .model = model,
                .parentheses = wanted->member->io == IO_IN,
                .call = compare_aim,
                .wanted = *wanted,
                .name = wanted->member->name};
    for (uint32_t i = world->edits.n; i-- > 0 && !s.found;)
        if (world->edits.at[i].model == model && world->edits.at[i].inst)
            aims_of_body(&s, plans_edit_at(world->plans, i)->body);
    aims_of_body(&s, world_at(world, model)->plan->body);
    return s.found;
}

static bool is_transmitted(World *world, const Target *wanted)
{
    for (InstId at = wanted->inst->id; at; at = world_at(world, at)->owner) {
        at = follow_model(world, world_at(world, at));
        if (transmits(world, at, wanted))
            return true;
    }
    return false;
}

/* ---- the decision ---- */

/* From now on it has the value that it has. */
static void keep_value(World *world, DdpVar var)
{
    double value;
    if (!world->host.read(world->host.context, var, &value))
        value = 0;
    world->host.write(world->host.context, var, value);
}

/* Does some statement name it, or may a connection do so? What was typed needs an equation anyhow. */
static bool is_named(World *world, const Target *t, const Op *op)
{
    WorldUser user;
    const Member *m = t->member;
    return m->body->edit || m->io != IO_NONE || m->con != CON_NONE || !op->stmt ||
           users_of(world, follow_model(world, t->inst), op->stmt, 1, &user) > 0;
}

static void decide(Search *s, const Aim *aim)
{
    World *world = s->world;
    Target t = lead(world, s->model, aim);
    const Op *op = t.inst ? &t.inst->plan->ops[t.inst->plan->word_op[t.word]] : NULL;
    if (!op || op->kind != OP_VAR || plans_hold_loosely(world->plans, t.member))
        return;
    DdpVar var = t.inst->word[t.word];
    bool held = ddp_kind_to_be(world->ddp, var) == DDP_HELD, wanted = is_transmitted(world, &t);
    if (held == wanted || (held && !is_named(world, &t, op)))
        return;
    if (wanted)
        keep_value(world, var);
    ddp_turn_var(world->ddp, var, wanted ? DDP_HELD : DDP_UNKNOWN);
}

void hold_by_body(World *world, InstId model, const Body *body)
{
    Search s = {.world = world,
                .model = model,
                .parentheses = true,
                .names = true,
                .all = true,
                .call = decide};
    aims_of_body(&s, body);
}

void hold_by_stmt(World *world, InstId model, const Stmt *stmt, bool came)
{
    Search s = {.world = world,
                .model = model,
                .parentheses = true,
                .names = came,
                .all = true,
                .call = decide};
    aims_of_stmt(&s, stmt);
    s.names = false;
    for (uint32_t i = 0; i < world->hidden.n && stmt->kind == S_DECLARE; i++) {
        s.model = world->hidden.at[i].model; /* what it makes is as its text says */
        aims_of_stmt(&s, world->hidden.at[i].stmt);
    }
}

/* ---- births ---- */

static void compare_member(Search *s, const Aim *aim)
{
    s->found |= aim->n == 1 && aim->step[0] == s->wanted.member;
}

DdpVarKind hold_at_birth(World *world, const Inst *inst, const Op *op)
{
    InstId model = world->hidden.n ? follow_model(world, inst) : 0;
    bool edited = false;
    for (uint32_t i = 0; i < world->hidden.n; i++)
        edited |= world->hidden.at[i].model == model;
    if (!edited || op->kind != OP_VAR || op->unused || !op->member->held ||
        plans_hold_loosely(world->plans, op->member))
        return op->var_kind;
    Search s = {.world = world, .model = model, .call = compare_member};
    s.wanted.member = op->member;
    aims_of_body(&s, world_at(world, model)->plan->body);
    for (uint32_t i = 0; i < world->edits.n && !s.found; i++)
        if (world->edits.at[i].model == model)
            aims_of_body(&s, plans_edit_at(world->plans, i)->body);
    return s.found || plans_is_held(world->plans, inst->plan, op->member->index) ? DDP_HELD
                                                                                 : DDP_UNKNOWN;
}
