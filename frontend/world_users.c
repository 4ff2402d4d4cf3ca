/* world_users.c: a declaration of an instance that exists -> the statements that name what it made. See world_edit.h.
 *
 * The text of a large model is not looked through: an index of its plan (plan_uses.c) has the operations that begin a
 * path with a member. Edits and branches are looked through; they are small. */
#include "frontend/plan_uses.h"
#include "frontend/world_edit.h"
#include "frontend/world_int.h"

typedef VEC(uint32_t) InstList;

/* The edits of a model instance, and the branches of its text and of theirs that are there. */
static void list_bodies(World *world, InstId model, InstList *list)
{
    vec_push(world->mem, list, model);
    for (uint32_t i = 0; i < world->edits.n; i++)
        if (edit_is_of(world, i, world_at(world, model)))
            vec_push(world->mem, list, world->edits.at[i].inst);
    for (uint32_t k = 0; k < list->n; k++) {
        const Inst *inst = world_at(world, list->at[k]);
        const PlanUses *uses = plan_uses(world->plans, inst->plan);
        for (uint32_t i = 0; i < uses->n_branches; i++) {
            uint32_t branch = inst->word[inst->plan->ops[uses->branches[i]].word];
            if (branch && world->branch.at[branch].body)
                vec_push(world->mem, list, world->branch.at[branch].body);
        }
    }
}

/* ---- who names it ---- */

static bool list_passes(const World *world, Inst *inst, const RefList *refs, const Inst *owner,
                        uint32_t word);

static bool passes(const World *world, Inst *inst, const Ref *ref, const Inst *owner, uint32_t word)
{
    if (ref->fold)
        return list_passes(world, inst, &ref->fold->rounds.refs, owner, word) ||
               list_passes(world, inst, &ref->fold->value.refs, owner, word);
    if (ref->up == REF_TIME || ref->up == REF_HOMOTOPY)
        return false;
    const Inst *at = follow_up(world, inst, ref->up);
    for (uint32_t i = 0; i < ref->n && at; i++) {
        Member *actual = NULL;
        uint32_t w = ref->step[i].word;
        if (ref->movable && ref->step[i].member)
            w = plan_member_word(at->plan, ref->step[i].member, &actual);
        if (at == owner && w == word)
            return true;
        if (i + 1 == ref->n || w == NO_WORD)
            return false;
        at = at->word[w] ? world_at(world, at->word[w]) : NULL;
    }
    return false;
}

static bool list_passes(const World *world, Inst *inst, const RefList *refs, const Inst *owner,
                        uint32_t word)
{
    for (uint32_t i = 0; i < refs->n; i++)
        if (passes(world, inst, &refs->at[i], owner, word))
            return true;
    return false;
}

static bool op_names(const World *world, Inst *inst, const Op *op, const Inst *owner, uint32_t word)
{
    if (list_passes(world, inst, &op->refs, owner, word) ||
        (op->value && list_passes(world, inst, &op->value->refs, owner, word)))
        return true;
    for (uint32_t i = 0; i < op->n_args; i++)
        if (list_passes(world, inst, &op->args[i].value.refs, owner, word) ||
            (op->args[i].target.n && passes(world, inst, &op->args[i].target, owner, word)))
            return true;
    return false;
}

typedef struct UserTask {
    WorldUser stmt; /* the declaration */
    uint32_t n, most;
    WorldUser *users;
} UserTask;

static void note_user(World *world, Inst *inst, uint32_t i, const Inst *owner, uint32_t word,
                      UserTask *u)
{
    const Op *op = &inst->plan->ops[i];
    InstId model = follow_model(world, inst);
    const WorldUser *last = u->n ? &u->users[u->n - 1] : NULL;
    if (u->n >= u->most || !op->stmt || (last && last->stmt == op->stmt && last->model == model) ||
        (op->stmt == u->stmt.stmt && model == u->stmt.model) ||
        !op_names(world, inst, op, owner, word) || edit_hides(world, inst, op))
        return;
    u->users[u->n++] = (WorldUser){model, op->stmt};
}

/* In the text of the model itself: paths that begin with `first`, and those through aliases and dynamic members. */
static void users_in_text(World *world, Inst *inst, uint32_t first, const Inst *owner,
                          uint32_t word, UserTask *u)
{
    const PlanUses *uses = plan_uses(world->plans, inst->plan);
    uint32_t from = first == NO_WORD ? 0 : uses->first[first];
    uint32_t to = first == NO_WORD ? 0 : uses->first[first + 1], movable = 0;
    while (from < to || movable < uses->n_movable) { /* both ascend */
        bool own =
            from < to && (movable == uses->n_movable || uses->op[from] <= uses->movable[movable]);
        note_user(world, inst, own ? uses->op[from++] : uses->movable[movable++], owner, word, u);
    }
}

/* In the instances of one model's text. */
static void users_in(World *world, InstId model, uint32_t first, const Inst *owner, uint32_t word,
                     UserTask *u)
{
    InstList list = {0};
    list_bodies(world, model, &list);
    users_in_text(world, world_at(world, model), first, owner, word, u);
    for (uint32_t k = 1; k < list.n; k++) {
        Inst *inst = world_at(world, list.at[k]);
        for (uint32_t i = 0; i < inst->plan->n_ops && u->n < u->most; i++)
            note_user(world, inst, i, owner, word, u);
    }
    vec_free(world->mem, &list);
}

/* ---- who would name it: branches that are not there now ---- */

static bool path_names(const Path *path, const Member *m)
{
    return path && path->step[0] == m;
}

static bool expr_names(const RExpr *e, const Member *m);

static bool list_names(const ParamList *list, const Member *m)
{
    for (uint32_t i = 0; i < list->n; i++)
        if (expr_names(list->arg[i].value, m))
            return true;
    return false;
}

/* Expressions are bounded in depth (F4). */
static bool expr_names(const RExpr *e, const Member *m)
{
    if (!e)
        return false;
    if (path_names(e->path, m) || expr_names(e->start, m))
        return true;
    for (uint32_t i = 0; i < e->n; i++)
        if (expr_names(e->arg[i], m))
            return true;
    if (!e->access)
        return false;
    for (uint32_t i = 0; i < e->access->n_ins; i++)
        if (expr_names(e->access->in[i].value, m))
            return true;
    return path_names(e->access->path, m) || list_names(&e->access->params, m);
}

static bool body_names(const World *world, InstId model, const Body *body, const Member *m)
{
    for (uint32_t i = 0; body && i < body->n_stmts; i++) {
        const Stmt *s = body->stmts[i];
        if (world_edit_is_hidden(world, model, s))
            continue;
        if (path_names(s->path, m) || expr_names(s->a, m) || expr_names(s->b, m) ||
            (s->kind == S_DECLARE &&
             (list_names(&s->member->params, m) || expr_names(s->member->value, m))) ||
            body_names(world, model, s->then_body, m) || body_names(world, model, s->else_body, m))
            return true;
    }
    return false;
}

static void absent_users(const World *world, const Body *body, UserTask *u);

static void absent_users_of_stmt(const World *world, const Stmt *s, UserTask *u)
{
    const Member *m = u->stmt.stmt->member;
    if (!s->then_body || world_edit_is_hidden(world, u->stmt.model, s->part_of ? s->part_of : s))
        return;
    const Body *branches[] = {s->then_body, s->else_body};
    for (int k = 0; k < 2; k++) {
        if (branches[k] && edit_inst_of_body(world, u->stmt.model, branches[k])) {
            absent_users(world, branches[k], u);
        } else if (body_names(world, u->stmt.model, branches[k], m) && u->n < u->most) {
            u->users[u->n++] = (WorldUser){u->stmt.model, s->part_of ? s->part_of : s};
            break;
        }
    }
}

static void absent_users(const World *world, const Body *body, UserTask *u)
{
    for (uint32_t i = 0; body && i < body->n_stmts && u->n < u->most; i++)
        absent_users_of_stmt(world, body->stmts[i], u);
}

static void absent_users_of(const World *world, UserTask *u)
{
    const Inst *model = world_at(world, u->stmt.model);
    const PlanUses *uses = plan_uses(world->plans, model->plan);
    for (uint32_t i = 0; i < uses->n_stmts && u->n < u->most; i++)
        absent_users_of_stmt(world, model->plan->body->stmts[uses->stmts[i]], u);
    for (uint32_t i = 0; i < world->edits.n; i++)
        if (edit_is_of(world, i, model))
            absent_users(world, plans_edit_at(world->plans, i)->body, u);
}

static void users_task(World *world, void *argument)
{
    UserTask *u = argument;
    const Inst *owner = edit_inst_of_body(world, u->stmt.model, u->stmt.stmt->body);
    if (!owner)
        return;
    uint32_t word = owner->plan->family->member_word[u->stmt.stmt->member->index];
    const Inst *below = NULL; /* the way up came from there; the text around names it by its word */
    for (const Inst *at = owner; at; at = at->owner ? world_at(world, at->owner) : NULL) {
        if (!at->plan->row) {
            InstId model = follow_model(world, at);
            uint32_t first = below ? below->owner_word : word;
            users_in(world, model, at->id == model ? first : NO_WORD, owner, word, u);
            at = world_at(world, model);
        }
        below = at;
    }
    absent_users_of(world, u);
}

uint32_t users_of(World *world, InstId model, const Stmt *stmt, uint32_t most, WorldUser *users)
{
    UserTask u = {.stmt = {model, stmt}, .most = most, .users = users};
    users_task(world, &u);
    return u.n;
}

uint32_t world_edit_users(World *world, InstId model, const Stmt *stmt, uint32_t most,
                          WorldUser *users)
{
    UserTask u = {.stmt = {model, stmt}, .most = most, .users = users};
    world_guarded(world, users_task, &u);
    return u.n;
}
