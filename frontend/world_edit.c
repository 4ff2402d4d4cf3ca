/* world_edit.c: what is typed into instances, and what is taken away there -> instances and operations.
 * See world_edit.h.
 *
 * The body of an edit lies in the body of the last edit of its instance that declared something, or in the
 * model's: so it sees what was declared before. Its instance is owned likewise, under no word (NO_WORD), and
 * goes with the model instance, last edits first. A statement that was taken away is named by the model instance and its
 * number, and whoever runs operations passes it over: a branch that is entered again comes without it. */
#include "frontend/world_edit.h"

#include "base/pack.h"
#include "frontend/world_int.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef VEC(uint32_t) InstList;

static uint64_t hidden_key(uint32_t model, const Stmt *stmt)
{
    return (uint64_t)model << 32 | stmt->number;
}

bool edit_is_hidden(const World *world, const Inst *inst, const Op *op)
{
    return op->stmt && map_get(&world->is_hidden, hidden_key(follow_model(world, inst), op->stmt));
}

uint32_t edit_next(const World *world, const Inst *inst, uint32_t after)
{
    for (uint32_t i = after; i < world->edits.n; i++)
        if (world->edits.at[i].inst && world_at(world, world->edits.at[i].inst)->owner == inst->id)
            return i + 1;
    return 0;
}

uint32_t edit_number(const World *world, InstId inst)
{
    for (uint32_t i = 0; i < world->edits.n; i++)
        if (world->edits.at[i].inst == inst)
            return i + 1;
    return 0;
}

/* ---- death, rest and return of the instance ---- */

void edit_forget(World *world, const Inst *inst)
{
    for (uint32_t i = 0; i < world->edits.n; i++)
        if (world->edits.at[i].inst == inst->id || world->edits.at[i].model == inst->id)
            world->edits.at[i] = (EditInst){0};
    uint32_t kept = 0;
    for (uint32_t i = 0; i < world->hidden.n; i++) {
        HiddenStmt h = world->hidden.at[i];
        if (h.model == inst->id)
            map_remove(&world->is_hidden, hidden_key(h.model, h.stmt));
        else
            world->hidden.at[kept++] = h;
    }
    world->hidden.n = kept;
}

bool edit_is_of(const World *world, uint32_t i, const Inst *model)
{
    return world->edits.at[i].model == model->id && world->edits.at[i].inst;
}

/* What is put on the list last is done first. */
void edits_remove_later(World *world, const Inst *model)
{
    for (uint32_t i = 0; i < world->edits.n && !model->plan->is_branch; i++)
        if (edit_is_of(world, i, model))
            inst_remove_later(world, world_at(world, world->edits.at[i].inst));
}

void edits_rest_later(World *world, const Inst *model)
{
    for (uint32_t i = 0; i < world->edits.n && !model->plan->is_branch; i++)
        if (edit_is_of(world, i, model))
            rest_later(world, world_at(world, world->edits.at[i].inst));
}

void edits_wake_later(World *world, const Inst *model)
{
    for (uint32_t i = world->edits.n; i-- > 0 && !model->plan->is_branch;)
        if (edit_is_of(world, i, model))
            wake_later(world, world_at(world, world->edits.at[i].inst));
}

/* ---- entering ---- */

typedef struct Added {
    InstId model;
    const char *text;
    size_t length;
    uint32_t number;
} Added;

static bool member_is_gone(const void *context, const Member *m)
{
    const Inst *inst = ((const void *const *)context)[0];
    const World *world = ((const void *const *)context)[1];
    while (inst->plan->body != m->body && inst->plan->is_branch)
        inst = world_at(world, inst->owner);
    return inst->plan->body == m->body &&
           edit_hides(world, inst, &inst->plan->ops[inst->plan->member_op[m->index]]);
}

/* The last edit of the instance that declares something, from 1; 0: none. */
static uint32_t edit_around(const World *world, const Inst *model)
{
    for (uint32_t i = world->edits.n; i > 0; i--)
        if (edit_is_of(world, i - 1, model) && plans_edit_at(world->plans, i - 1)->body->n_members)
            return i;
    return 0;
}

static void add_task(World *world, void *argument)
{
    Added *a = argument;
    char name[40];
    Inst *model = world_at(world, a->model);
    uint32_t around = edit_around(world, model);
    Inst *owner = around ? world_at(world, world->edits.at[around - 1].inst) : model;
    const void *context[] = {owner, world};
    snprintf(name, sizeof name, "edit %u", world->edits.n + 1);
    vec_reserve(world->mem, &world->edits, world->edits.n + 1);
    Plan *plan = plans_edit(world->plans, model->plan, around,
                            &(Edit){.name = name,
                                    .text = a->text,
                                    .length = a->length,
                                    .gone = member_is_gone,
                                    .context = context});
    if (!plan)
        return;
    if (!world->edits_call_foreign && plans_edit_is_foreign(world->plans, world->edits.n))
        world_fail(world, plan->body->stmts[0]->at,
                   "this calls foreign functions or reads files, or may do so later: edits may not "
                   "do that here");
    world->editing = true;
    Inst *inst = inst_create_later(world, plan, owner, NO_WORD, NULL, owner, 0, model->logic);
    vec_push(world->mem, &world->edits, ((EditInst){a->model, inst ? inst->id : 0}));
    a->number = world->edits.n;
    world_work(world);
    world->editing = false;
    hold_by_body(world, a->model, plan->body);
    world_compact_newborn(world);
}

typedef struct Again {
    uint32_t number;
    InstId model;
} Again;

static void again_task(World *world, void *argument)
{
    const Again *a = argument;
    const PlanEdit *edit = plans_edit_at(world->plans, a->number - 1);
    Inst *model = world_at(world, a->model);
    Inst *owner = edit->parent ? world_at(world, world->edits.at[edit->parent - 1].inst) : model;
    if (world->edits.at[a->number - 1].inst || !owner ||
        model->plan->body != plans_by_number(world->plans, edit->scope)->body) {
        world_fail(world, 0, "what was typed into an instance cannot be entered again");
        return;
    }
    world->editing = true;
    Inst *inst = inst_create_later(world, edit->plan, owner, NO_WORD, NULL, owner, 0, model->logic);
    world->edits.at[a->number - 1] = (EditInst){a->model, inst ? inst->id : 0};
    world_work(world);
    world->editing = false;
    hold_by_body(world, a->model, edit->plan->body);
    world_compact_newborn(world);
}

bool world_edit_again(World *world, uint32_t number, InstId model)
{
    return world_guarded(world, again_task, &(Again){number, model});
}

bool world_edit_add(World *world, InstId model, const char *text, size_t length, uint32_t *number)
{
    Added a = {.model = model, .text = text, .length = length};
    bool fine = world_guarded(world, add_task, &a);
    *number = a.number;
    return fine && a.number;
}

void world_edit_allow_foreign(World *world, bool allowed)
{
    world->edits_call_foreign = allowed;
}

uint32_t world_edit_count(const World *world)
{
    return world->edits.n;
}

bool world_edit(const World *world, uint32_t number, InstId *model, const Body **body)
{
    if (!number || number > world->edits.n || !world->edits.at[number - 1].inst)
        return false;
    *model = world->edits.at[number - 1].model;
    *body = plans_edit_at(world->plans, number - 1)->body;
    return true;
}

/* ---- the instances of a model's text ---- */

Inst *edit_inst_of_body(const World *world, InstId model, const Body *body)
{
    if (!body->parent)
        return world_at(world, model);
    if (body->edit) {
        for (uint32_t i = 0; i < world->edits.n; i++)
            if (world->edits.at[i].model == model && world->edits.at[i].inst &&
                plans_edit_at(world->plans, i)->body == body)
                return world_at(world, world->edits.at[i].inst);
        return NULL;
    }
    const Stmt *owner = body->owner->part_of ? body->owner->part_of : body->owner;
    Inst *around = edit_inst_of_body(world, model, owner->body);
    for (uint32_t i = around ? around->plan->stmt_op[owner->index] : 0;
         i && i <= around->plan->n_ops && around->plan->ops[i - 1].stmt == owner; i++) {
        const Op *op = &around->plan->ops[i - 1];
        uint32_t branch = op->kind == OP_BRANCH ? around->word[op->word] : 0;
        uint32_t inst = branch ? world->branch.at[branch].body : 0;
        if (inst && world_at(world, inst)->plan->body == body)
            return world_at(world, inst);
    }
    return NULL;
}

/* ---- taking away and putting back ---- */

typedef struct StmtTask {
    InstId model;
    const Stmt *stmt;
} StmtTask;

/* Operations of the statement: [*from, *to). */
static void ops_of(const Plan *plan, const Stmt *stmt, uint32_t *from, uint32_t *to)
{
    *from = *to = plan->stmt_op[stmt->index] ? plan->stmt_op[stmt->index] - 1 : 0;
    while (plan->stmt_op[stmt->index] && *to < plan->n_ops && plan->ops[*to].stmt == stmt)
        ++*to;
}

static void hide_task(World *world, void *argument)
{
    const StmtTask *t = argument;
    uint32_t from, to;
    vec_reserve(world->mem, &world->hidden, world->hidden.n + 1);
    Inst *inst = edit_inst_of_body(world, t->model, t->stmt->body);
    if (inst) {
        ops_of(inst->plan, t->stmt, &from, &to);
        for (uint32_t i = to; i-- > from;) {
            if (!inst->plan->ops[i].grouped)
                inst_op_backwards(world, inst, i);
            world_run(world);
        }
    }
    vec_push(world->mem, &world->hidden, ((HiddenStmt){t->model, t->stmt}));
    map_put(world->mem, &world->is_hidden, hidden_key(t->model, t->stmt), 1);
    world_work(world);
    hold_by_stmt(world, t->model, t->stmt, false);
    world_compact_newborn(world);
}

bool world_edit_hide(World *world, InstId model, const Stmt *stmt)
{
    return world_guarded(world, hide_task, &(StmtTask){model, stmt});
}

static void show_task(World *world, void *argument)
{
    const StmtTask *t = argument;
    uint32_t from, to, at = 0;
    while (world->hidden.at[at].model != t->model || world->hidden.at[at].stmt != t->stmt)
        at++;
    memmove(world->hidden.at + at, world->hidden.at + at + 1,
            (--world->hidden.n - at) * sizeof *world->hidden.at);
    map_remove(&world->is_hidden, hidden_key(t->model, t->stmt));
    Inst *inst = edit_inst_of_body(world, t->model, t->stmt->body);
    if (inst) {
        Frame frame = {.inst = inst, .again = true};
        ops_of(inst->plan, t->stmt, &from, &to);
        for (uint32_t i = from; i < to; i++) {
            if (!inst->plan->ops[i].grouped)
                inst_op_forwards(world, inst, i, &frame);
            world_run(world);
        }
    }
    world_work(world);
    hold_by_stmt(world, t->model, t->stmt, true);
    world_compact_newborn(world);
}

bool world_edit_is_hidden(const World *world, InstId model, const Stmt *stmt)
{
    return map_get(&world->is_hidden, hidden_key(model, stmt)) != 0;
}

bool world_edit_has(const World *world, InstId model, const Stmt *stmt)
{
    const Body *body = stmt->body;
    while (body->parent && !body->edit)
        body = body->parent;
    if (!world_alive(world, model) || world_at(world, model)->plan->is_branch)
        return false;
    return body->edit ? edit_inst_of_body(world, model, body) != NULL
                      : world_at(world, model)->plan->body == body;
}

bool world_edit_show(World *world, InstId model, const Stmt *stmt)
{
    return !world_edit_is_hidden(world, model, stmt) ||
           world_guarded(world, show_task, &(StmtTask){model, stmt});
}

/* ---- what a declaration made ---- */

/* Does the model lie in the instance `top`, or is it? */
static bool lies_in(const World *world, InstId model, InstId top)
{
    while (model && model != top)
        model = world_at(world, model)->owner;
    return model == top;
}

void world_edit_inside(World *world, InstId model, const Stmt *stmt, WorldInsideCall call,
                       void *context)
{
    const Inst *owner = edit_inst_of_body(world, model, stmt->body);
    InstId top = owner ? owner->word[owner->plan->family->member_word[stmt->member->index]] : 0;
    if (!top || type_is_basic(stmt->member->type) || stmt->member->binding != BIND_STATIC)
        return;
    for (uint32_t i = 0; i < world->edits.n; i++)
        if (world->edits.at[i].inst && lies_in(world, world->edits.at[i].model, top))
            call(context, world->edits.at[i].model, i + 1, NULL);
    for (uint32_t i = 0; i < world->hidden.n; i++)
        if (lies_in(world, world->hidden.at[i].model, top))
            call(context, world->hidden.at[i].model, 0, world->hidden.at[i].stmt);
}

typedef struct VarsTask {
    StmtTask stmt;
    void (*call)(void *context, DdpVar var);
    void *context;
} VarsTask;

static void vars_task(World *world, void *argument)
{
    VarsTask *v = argument;
    const Stmt *stmt = v->stmt.stmt;
    const Inst *owner = edit_inst_of_body(world, v->stmt.model, stmt->body);
    uint32_t found = owner ? owner->word[owner->plan->family->member_word[stmt->member->index]] : 0;
    InstList list = {0};
    if (found && type_is_basic(stmt->member->type))
        v->call(v->context, found);
    else if (found && stmt->member->binding != BIND_ALIAS)
        vec_push(world->mem, &list, found);
    for (uint32_t k = 0; k < list.n; k++) {
        const Inst *inst = world_at(world, list.at[k]);
        for (uint32_t i = 0; i < inst->plan->n_ops; i++) {
            const Op *op = &inst->plan->ops[i];
            if ((op->kind == OP_VAR || op->kind == OP_PARAM) && inst->word[op->word])
                v->call(v->context, inst->word[op->word]);
        }
        for (InstId part = world_next_part(world, inst->id, 0); part;
             part = world_next_part(world, inst->id, part))
            vec_push(world->mem, &list, part);
    }
    vec_free(world->mem, &list);
}

void world_edit_vars(World *world, InstId model, const Stmt *stmt,
                     void (*call)(void *context, DdpVar var), void *context)
{
    world_guarded(world, vars_task, &(VarsTask){{model, stmt}, call, context});
}

DdpVar world_edit_var(const World *world, InstId model, const Stmt *stmt, const char *path)
{
    const Inst *owner = edit_inst_of_body(world, model, stmt->body);
    uint32_t found = owner ? owner->word[owner->plan->family->member_word[stmt->member->index]] : 0;
    if (!found || type_is_basic(stmt->member->type))
        return path[0] ? 0 : found;
    return path[0] ? find_var_in(world, found, path) : 0;
}

void world_edit_pardon(World *world)
{
    world->failed = world->exhausted;
}

/* ---- statements by name ---- */

typedef struct Listing {
    InstId model;
    WorldStmtCall call;
    void *context;
} Listing;

static void list_body(const World *world, const Listing *l, const Body *body, bool gone)
{
    for (uint32_t i = 0; i < body->n_stmts; i++) {
        const Stmt *s = body->stmts[i];
        if (s->part_of)
            continue;
        bool hidden = gone || world_edit_is_hidden(world, l->model, s);
        l->call(l->context, l->model, s, hidden);
        if (s->then_body && s->kind != S_FOR) /* what is in a loop goes with it */
            list_body(world, l, s->then_body, hidden);
        if (s->else_body)
            list_body(world, l, s->else_body, hidden);
    }
}

void world_edit_list(World *world, InstId model, WorldStmtCall call, void *context)
{
    Listing l = {model, call, context};
    list_body(world, &l, world_at(world, model)->plan->body, false);
    for (uint32_t i = 0; i < world->edits.n; i++)
        if (edit_is_of(world, i, world_at(world, model)))
            list_body(world, &l, plans_edit_at(world->plans, i)->body, false);
}

static uint32_t number_of_body(const World *world, const Body *body)
{
    for (uint32_t i = 0; i < plans_edit_count(world->plans); i++)
        if (plans_edit_at(world->plans, i)->body == body)
            return i + 1;
    return 0;
}

static size_t put_handle(const World *world, const Stmt *stmt, char *out, size_t size)
{
    const Body *body = stmt->body;
    if (body->edit)
        return (size_t)snprintf(out, size, "+%u.%u", number_of_body(world, body), stmt->index + 1);
    if (!body->parent)
        return (size_t)snprintf(out, size, "#%u", stmt->index + 1);
    size_t n = put_handle(world, body->owner, out, size);
    if (n >= size)
        return n;
    return n + (size_t)snprintf(out + n, size - n, ".%s.%u",
                                body == body->owner->then_body ? "then" : "else", stmt->index + 1);
}

void world_stmt_handle(const World *world, const Stmt *stmt, char *out, size_t size)
{
    if (size)
        put_handle(world, stmt, out, size);
}

const Stmt *world_stmt_find(const World *world, InstId model, const char *handle)
{
    char *end;
    const Body *body = NULL;
    InstId of = model;
    unsigned long n = strtoul(handle + (handle[0] != 0), &end, 10);
    if (handle[0] == '+') {
        if (n > UINT32_MAX || !world_edit(world, (uint32_t)n, &of, &body) || *end != '.')
            return NULL;
        n = strtoul(end + 1, &end, 10);
    } else if (handle[0] == '#') {
        body = world_at(world, model)->plan->body;
    }
    while (body && n > 0 && n <= body->n_stmts) {
        const Stmt *stmt = body->stmts[n - 1];
        if (!*end)
            return stmt;
        if ((strncmp(end, ".then.", 6) != 0 && strncmp(end, ".else.", 6) != 0) ||
            stmt->kind == S_FOR)
            return NULL;
        body = end[1] == 't' ? stmt->then_body : stmt->else_body;
        n = strtoul(end + 6, &end, 10);
    }
    return NULL;
}

/* By the index of its members; a part of a row has a statement of its own. */
static const Stmt *declaring_in(const World *world, InstId model, const Plan *plan, Sym name)
{
    const Member *m = member_of(plan->body, name);
    const Stmt *s = m ? plan->ops[plan->member_op[m->index]].stmt : NULL;
    return s && s->kind == S_DECLARE && s->member == m && !world_edit_is_hidden(world, model, s)
               ? s
               : NULL;
}

const Stmt *world_stmt_declaring(const World *world, InstId model, const char *name)
{
    Sym sym = intern_str(program_names(world->program), name);
    const Stmt *s = declaring_in(world, model, world_at(world, model)->plan, sym);
    for (uint32_t i = 0; i < world->edits.n && !s; i++)
        if (edit_is_of(world, i, world_at(world, model)))
            s = declaring_in(world, model, plans_edit_at(world->plans, i)->plan, sym);
    return s;
}

const char *world_stmt_text(const World *world, const Stmt *stmt, size_t *length,
                            const SourceFile **in)
{
    const Sources *sources = program_sources(world->program);
    *length = 0;
    for (uint32_t i = sources->files.n; i-- > 0 && stmt->end > stmt->at;) {
        const SourceFile *file = &sources->files.at[i];
        if (file->base > stmt->at)
            continue;
        *length = stmt->end - stmt->at;
        if (in)
            *in = file;
        return file->text + (stmt->at - file->base);
    }
    return "";
}

/* ---- written and read ---- */

/* A statement as the way to it: edit it stands in or 0, then indices; a branch around is its statement and which
 * one it is. */
static void write_stmt(const World *world, Pack *p, const Stmt *stmt)
{
    char handle[8192];
    world_stmt_handle(world, stmt, handle, sizeof handle);
    uint32_t length = pack_count(p, (uint32_t)strlen(handle), 1);
    pack_bytes(p, handle, length);
}

static const Stmt *read_stmt(const World *world, Pack *p, InstId model)
{
    char handle[8192];
    uint32_t length = pack_count(p, 0, 1);
    if (p->bad || length >= sizeof handle || !world_alive(world, model)) {
        p->bad = true;
        return NULL;
    }
    pack_bytes(p, handle, length);
    handle[length] = 0;
    const Stmt *stmt = world_stmt_find(world, model, handle);
    p->bad |= !stmt;
    return stmt;
}

static void pack_hidden(World *world, Pack *p, uint32_t i)
{
    HiddenStmt *h = &world->hidden.at[i];
    PACK(p, h->model);
    if (p->writing) {
        write_stmt(world, p, h->stmt);
        return;
    }
    h->stmt = read_stmt(world, p, h->model);
    if (!p->bad)
        map_put(world->mem, &world->is_hidden, hidden_key(h->model, h->stmt), 1);
}

void edits_pack(World *world, Pack *p)
{
    PACK_LIST(p, &world->edits);
    p->bad |= world->edits.n != plans_edit_count(world->plans);
    for (uint32_t i = 0; i < world->edits.n && !p->bad; i++)
        p->bad |= world->edits.at[i].inst && !world_alive(world, world->edits.at[i].inst);
    PACK_LENGTH(p, &world->hidden, 1);
    for (uint32_t i = 0; i < world->hidden.n && !p->bad; i++)
        pack_hidden(world, p, i);
}
