/* transplant.c: a world with edits -> the same world as instances of the text that was written of it. See
 * world_write.h.
 *
 * An instance keeps its number, and all that it made keeps its numbers; what changes is the plan, and with it which
 * word stands for what. Plans of bodies that nobody edited are the same operation by operation. Those of
 * an edited model are put together from the model's operations and those of its edits: the places of the statements
 * say which is which. The instances of edits go: what they made belongs to the model now. Each operation is held
 * against the old one, forms included, so that a text which says something else is noticed. */
#include "base/pack.h"
#include "frontend/connect_int.h"
#include "frontend/plan_int.h"
#include "frontend/world_write.h"

#include <string.h>

typedef struct Planting {
    InstId id;
    Plan *plan; /* new; NULL: the one that its old one became */
    bool edited;
} Planting;

typedef struct Transplant {
    World *from;
    Def *top;
    const WrittenText *text;
    Map plan;   /* number of a plan of bodies that nobody edited -> of the new one, + 1 */
    Map edited; /* InstId of a model that was edited -> 1 */
    Map op;     /* of edited bodies: instance and operation -> the new operation, + 1 */
    Map word;   /* likewise, instance and word */
    VEC(Planting) todo, later;
    bool failed;
} Transplant;

static uint64_t key_of(uint32_t inst, uint32_t what)
{
    return (uint64_t)inst << 32 | what;
}

static void fail(World *to, Transplant *t, const Op *op)
{
    World *from = t->from;
    if (t->failed)
        return;
    t->failed = true;
    (void)to;
    world_fail(from, op && op->stmt ? op->stmt->at : 0,
               "the written text would not go on as this does: no checkpoint of it can be made");
}

/* ---- operations ---- */

static bool same_value(const PlanValue *a, const PlanValue *b)
{
    return (!a && !b) || (a && b && a->x == b->x && a->refs.n == b->refs.n);
}

/* Whether a variable is held depends on what was typed (world_hold.c). */
static bool same_but_held(const Op *a, const Op *b)
{
    bool kinds = a->var_kind == b->var_kind || a->kind == OP_VAR;
    return a->kind == b->kind && kinds && a->type == b->type && a->flags == b->flags &&
           a->own[0] == b->own[0] && a->own[1] == b->own[1] && a->when == b->when &&
           a->condition == b->condition && a->transient == b->transient &&
           a->grouped == b->grouped && a->defines == b->defines && a->span == b->span &&
           a->function == b->function && a->form == b->form && a->refs.n == b->refs.n &&
           a->n_args == b->n_args && (a->word == NO_WORD) == (b->word == NO_WORD) &&
           !a->plan == !b->plan && !a->other == !b->other && same_value(a->value, b->value);
}

static bool same_op(const Op *a, const Op *b)
{
    return a->var_kind == b->var_kind && same_but_held(a, b);
}

static uint32_t words_of(const Op *op)
{
    if (op->word == NO_WORD)
        return 0;
    switch ((OpKind)op->kind) {
    case OP_ALIAS:
    case OP_EXISTS:
        return 3;
    case OP_DYNAMIC:
    case OP_GROUP:
        return 2;
    case OP_LIST:
        return LIST_WORDS;
    case OP_EACH:
        return EACH_WORDS;
    default:
        return 1;
    }
}

/* ---- plans ---- */

static void pair_plans(World *to, Transplant *t, const Plan *old, Plan *plan);

static void pair_parts(World *to, Transplant *t, const Op *a, const Op *b)
{
    if (a->plan && a->plan->compiled)
        pair_plans(to, t, a->plan, b->plan);
    if (a->other && a->other->compiled)
        pair_plans(to, t, a->other, b->other);
}

/* Of bodies that nobody edited. */
static void pair_plans(World *to, Transplant *t, const Plan *old, Plan *plan)
{
    if (map_get(&t->plan, old->number) || t->failed)
        return;
    map_put(to->mem, &t->plan, old->number, plan->number + 1);
    plans_compile(to->plans, plan);
    bool same = old->n_ops == plan->n_ops && old->n_words == plan->n_words;
    for (uint32_t i = 0; i < plan->n_ops && same; i++) {
        same = same_op(&old->ops[i], &plan->ops[i]) && old->ops[i].word == plan->ops[i].word;
        if (same)
            pair_parts(to, t, &old->ops[i], &plan->ops[i]);
        else
            fail(to, t, &old->ops[i]);
    }
    if (!same)
        fail(to, t, NULL);
}

/* What an instance becomes that some statement made and moved here; NULL: no statement of the text could. */
static Plan *plan_there(const World *to, const Transplant *t, const Plan *old)
{
    uint32_t number = map_get(&t->plan, old->number);
    return number ? to->plans->plans.at[number - 1] : NULL;
}

/* ---- instances ---- */

static void plant_later(World *to, Transplant *t, InstId id, Plan *plan, bool edited)
{
    if (!id)
        return;
    Planting p = {id, plan, edited || map_get(&t->edited, id)};
    if (plan)
        vec_push(to->mem, &t->todo, p);
    else
        vec_push(to->mem, &t->later, p);
}

/* Parts and branches of an instance whose words are there. `old`: the operation that was. */
static void plant_parts(World *to, Transplant *t, const Inst *inst, const Op *op, const Op *old,
                        bool edited)
{
    uint32_t number = op->word == NO_WORD ? 0 : inst->word[op->word];
    if (op->kind == OP_PART || op->kind == OP_LIST || op->kind == OP_EACH) {
        plant_later(to, t, number, op->plan, false);
    } else if (op->kind == OP_DYNAMIC) {
        plant_later(to, t, number, NULL, false);
    } else if (op->kind == OP_BRANCH && number) {
        InstId body = t->from->branch.at[number].body;
        bool other =
            body && world_at(t->from, body)->plan->body == (old->other ? old->other->body : NULL);
        plant_later(to, t, body, other ? op->other : op->plan, edited);
    }
}

static Inst *make_inst(World *to, Transplant *t, InstId id, Plan *plan)
{
    const Inst *old = world_at(t->from, id);
    plans_compile(to->plans, plan);
    Inst *inst = inst_memory(to, plan);
    inst->plan = plan;
    inst->id = id;
    inst->birth = old->birth;
    inst->logic = old->logic;
    inst->links = old->links;
    inst->copied = old->copied;
    inst->owner_word = old->owner_word;
    if (old->owner) {
        const Inst *owner = world_at(t->from, old->owner);
        uint32_t word = map_get(&t->word, key_of(owner->id, old->owner_word));
        inst->owner =
            inst_is_edit(owner) && owner->owner ? follow_model(t->from, owner) : owner->id;
        if (word)
            inst->owner_word = word - 1;
        inst->depth = world_at(to, inst->owner)->depth + 1;
    }
    to->inst.at[id] = inst;
    to->n_inst++;
    return inst;
}

static void plant_plain(World *to, Transplant *t, InstId id, Plan *plan)
{
    const Inst *old = world_at(t->from, id);
    pair_plans(to, t, old->plan, plan);
    if (t->failed || map_get(&t->plan, old->plan->number) != plan->number + 1) {
        fail(to, t, NULL);
        return;
    }
    Inst *inst = make_inst(to, t, id, plan);
    if (plan->n_words)
        memcpy(inst->word, old->word, plan->n_words * sizeof *inst->word);
    for (uint32_t i = 0; i < plan->n_ops; i++)
        plant_parts(to, t, inst, &plan->ops[i], &old->plan->ops[i], false);
}

/* ---- of a body that was edited ---- */

typedef struct OldStmt {
    uint32_t source;
    const Stmt *stmt;
} OldStmt;

/* The plan of a body that was edited, and those of its edits; their instances, where these are there. */
typedef struct OldBody {
    VEC(const Plan *) plans;
    VEC(InstId) insts;
    VEC(OldStmt) stmts;
    Map at;         /* place -> index + 1 */
    uint32_t words; /* that are in use */
} OldBody;

static void take_plan(World *to, OldBody *b, const Plan *plan, const Inst *inst)
{
    vec_push(to->mem, &b->plans, plan);
    vec_push(to->mem, &b->insts, inst ? inst->id : 0);
    for (uint32_t i = 0; i < plan->body->n_stmts; i++) {
        vec_push(to->mem, &b->stmts, ((OldStmt){b->plans.n - 1, plan->body->stmts[i]}));
        map_put(to->mem, &b->at, plan->body->stmts[i]->at, b->stmts.n);
    }
    for (uint32_t i = 0; inst && i < plan->n_words; i++)
        b->words += inst->word[i] != 0;
}

static void free_body(World *to, OldBody *b)
{
    vec_free(to->mem, &b->plans);
    vec_free(to->mem, &b->insts);
    vec_free(to->mem, &b->stmts);
    map_free(to->mem, &b->at);
}

/* Operations of the body as such come in the same order: number `i` of the new plan. */
static const Op *old_own_op(const Plan *old, const Plan *plan, uint32_t i)
{
    uint32_t before = 0, k = 0;
    for (uint32_t n = 0; n < i; n++)
        before += !plan->ops[n].stmt;
    while (k < old->n_ops && (old->ops[k].stmt || before))
        before -= !old->ops[k++].stmt;
    return k < old->n_ops ? &old->ops[k] : NULL;
}

/* The operation that became number `i` of the new plan, and whose it is; NULL: none, or another one. */
static const Op *old_op(const World *to, const Transplant *t, const OldBody *b, const Plan *plan,
                        uint32_t i, uint32_t *source)
{
    const Stmt *stmt = plan->ops[i].stmt;
    const Op *op = NULL;
    Place at = stmt ? written_origin(t->text, to->program, t->from->program, stmt->at) : 0;
    uint32_t found = at ? map_get(&b->at, at) : 0;
    *source = 0;
    if (!stmt) {
        op = old_own_op(b->plans.at[0], plan, i);
    } else if (found) {
        const OldStmt *s = &b->stmts.at[found - 1];
        const Plan *old = b->plans.at[ *source = s->source];
        uint32_t first = old->stmt_op[s->stmt->index], k = i - (plan->stmt_op[stmt->index] - 1);
        if (first && first - 1 + k < old->n_ops && old->ops[first - 1 + k].stmt == s->stmt)
            op = &old->ops[first - 1 + k];
    }
    return op && same_but_held(op, &plan->ops[i]) ? op : NULL;
}

/* A branch of an edited body that is not there now: what it makes when it comes has a plan, too. */
static void pair_branch(World *to, Transplant *t, const Plan *old, Plan *plan)
{
    if (!old || !old->compiled || t->failed)
        return;
    OldBody b = {0};
    plans_compile(to->plans, plan);
    take_plan(to, &b, old, NULL);
    for (uint32_t i = 0; i < plan->n_ops && !t->failed; i++) {
        uint32_t source;
        const Op *op = &plan->ops[i], *was = old_op(to, t, &b, plan, i, &source);
        if (!was) {
            fail(to, t, NULL);
        } else if (op->kind == OP_BRANCH) {
            pair_branch(to, t, was->plan, op->plan);
            pair_branch(to, t, was->other, op->other);
        } else {
            pair_parts(to, t, was, op);
        }
    }
    free_body(to, &b);
}

/* The plans of what the operation makes: of an edited instance, and of branches of an edited body, that follows when they
 * are planted. */
static void pair_made(World *to, Transplant *t, const Inst *inst, const Op *old, const Op *op)
{
    uint32_t number = op->word == NO_WORD ? 0 : inst->word[op->word];
    if (op->kind == OP_BRANCH) {
        InstId body = number ? t->from->branch.at[number].body : 0;
        const Plan *there = body ? world_at(t->from, body)->plan : NULL;
        if (old->plan != there)
            pair_branch(to, t, old->plan, op->plan);
        if (old->other != there)
            pair_branch(to, t, old->other, op->other);
    } else if (op->kind != OP_PART || !map_get(&t->edited, number)) {
        pair_parts(to, t, old, op);
    }
}

static bool take_op(World *to, Transplant *t, OldBody *b, Inst *inst, uint32_t i)
{
    const Op *op = &inst->plan->ops[i];
    uint32_t from;
    const Op *old = old_op(to, t, b, inst->plan, i, &from);
    if (!old) {
        fail(to, t, NULL);
        return false;
    }
    const Inst *source = world_at(t->from, b->insts.at[from]);
    map_put(to->mem, &t->op, key_of(source->id, (uint32_t)(old - source->plan->ops)), i + 1);
    for (uint32_t k = 0; k < words_of(op); k++) {
        inst->word[op->word + k] = source->word[old->word + k];
        if (op->kind == OP_VAR && inst->word[op->word] &&
            ddp_var(t->from->ddp, inst->word[op->word]).kind != (DdpVarKind)op->var_kind)
            fail(to, t, op);
        b->words -= source->word[old->word + k] != 0;
        map_put(to->mem, &t->word, key_of(source->id, old->word + k), op->word + k + 1);
    }
    pair_made(to, t, inst, old, op);
    plant_parts(to, t, inst, op, old, true);
    return !t->failed;
}

static void plant_edited(World *to, Transplant *t, InstId id, Plan *plan)
{
    const World *from = t->from;
    OldBody b = {0};
    bool fine = true;
    take_plan(to, &b, world_at(from, id)->plan, world_at(from, id));
    for (uint32_t i = 0; i < from->edits.n && !world_at(from, id)->plan->is_branch; i++) {
        InstId edit = from->edits.at[i].model == id ? from->edits.at[i].inst : 0;
        if (edit)
            take_plan(to, &b, world_at(from, edit)->plan, world_at(from, edit));
    }
    Inst *inst = make_inst(to, t, id, plan);
    for (uint32_t i = 0; i < plan->n_ops && fine; i++)
        fine = take_op(to, t, &b, inst, i);
    if (fine && b.words) /* something is there that the text does not say */
        fail(to, t, NULL);
    free_body(to, &b);
}

/* ---- all of them ---- */

static InstId model_around(const World *world, InstId inst)
{
    return world_at(world, inst)->owner
               ? follow_model(world, world_at(world, world_at(world, inst)->owner))
               : 0;
}

static void mark_edited(World *to, Transplant *t, InstId model)
{
    for (; model && !map_get(&t->edited, model); model = model_around(t->from, model))
        map_put(to->mem, &t->edited, model, 1);
}

/* Models in which a variable is held that was not, or the other way round. */
static void find_turned(World *to, Transplant *t)
{
    const World *from = t->from;
    for (DdpVar var = 1; var < from->var.n; var++) {
        OwnerInfo owner = from->var.at[var];
        const Inst *inst = owner.tag == OWNER_INST ? world_at(from, owner.who) : NULL;
        const Op *op = inst ? &inst->plan->ops[inst->plan->word_op[owner.what]] : NULL;
        if (op && op->kind == OP_VAR && inst->word[owner.what] == var &&
            ddp_var(from->ddp, var).kind != (DdpVarKind)op->var_kind)
            mark_edited(to, t, follow_model(from, inst));
    }
}

/* Models that were edited, and those around them, which name their new definitions. */
static void find_edited(World *to, Transplant *t)
{
    const World *from = t->from;
    find_turned(to, t);
    for (uint32_t i = 0; i < from->edits.n + from->hidden.n; i++) {
        InstId model =
            i < from->edits.n ? from->edits.at[i].model : from->hidden.at[i - from->edits.n].model;
        mark_edited(to, t, model);
    }
}

static void plant_all(World *to, Transplant *t)
{
    plant_later(to, t, t->from->top, plans_get(to->plans, t->top), false);
    while ((t->todo.n || t->later.n) && !t->failed) {
        Planting p = t->todo.n ? vec_pop(&t->todo) : vec_pop(&t->later);
        if (!p.plan)
            p.plan = plan_there(to, t, world_at(t->from, p.id)->plan);
        if (!p.plan)
            fail(to, t, NULL);
        else if (p.edited)
            plant_edited(to, t, p.id, p.plan);
        else
            plant_plain(to, t, p.id, p.plan);
    }
}

/* The instances of edits are gone, all others are there. */
static void take_numbers(World *to, Transplant *t)
{
    const World *from = t->from;
    for (uint32_t i = 0; i < from->free_inst.n; i++)
        vec_push(to->mem, &to->free_inst, from->free_inst.at[i]);
    for (InstId id = 1; id < from->inst.n; id++)
        if (from->inst.at[id] && !to->inst.at[id]) {
            if (!inst_is_edit(from->inst.at[id]) || id == from->top)
                fail(to, t, NULL);
            vec_push(to->mem, &to->free_inst, id);
        }
    vec_reserve(to->mem, &to->free_inst, to->inst.n);
    to->top = from->top;
    to->time = from->time;
}

/* ---- tables ---- */

#define COPY_LIST(to_, list, from_)                                                                \
    do {                                                                                           \
        vec_reserve((to_)->mem, &(to_)->list, (from_)->list.n);                                    \
        (to_)->list.n = (from_)->list.n;                                                           \
        if ((from_)->list.n)                                                                       \
            memcpy((to_)->list.at, (from_)->list.at, (from_)->list.n * sizeof *(to_)->list.at);    \
    } while (0)

/* (instance, operation) of the old world in the new one. */
static void move_op(const Transplant *t, uint32_t *inst, uint32_t *op)
{
    uint32_t number = map_get(&t->op, key_of(*inst, *op));
    const Inst *old = *inst ? t->from->inst.at[*inst] : NULL;
    if (number)
        *op = number - 1;
    if (old && old->owner && inst_is_edit(old))
        *inst = follow_model(t->from, old);
}

static void move_word(const Transplant *t, uint32_t *inst, uint32_t *word)
{
    uint32_t number = map_get(&t->word, key_of(*inst, *word));
    const Inst *old = *inst ? t->from->inst.at[*inst] : NULL;
    if (number)
        *word = number - 1;
    if (old && old->owner && inst_is_edit(old))
        *inst = follow_model(t->from, old);
}

static void move_owners(World *to, const Transplant *t)
{
    COPY_LIST(to, var, t->from);
    COPY_LIST(to, rel, t->from);
    to->n_vars = t->from->n_vars;
    to->n_rels = t->from->n_rels;
    for (uint32_t i = 0; i < to->var.n; i++) {
        OwnerInfo *info = &to->var.at[i];
        uint32_t what = info->what;
        if (info->tag == OWNER_INST)
            move_word(t, &info->who, &what);
        info->what = what & (UINT32_MAX >> 3);
    }
    for (uint32_t i = 0; i < to->rel.n; i++) {
        OwnerInfo *info = &to->rel.at[i];
        uint32_t what = info->what;
        if (info->tag == OWNER_INST)
            move_op(t, &info->who, &what);
        info->what = what & (UINT32_MAX >> 3);
    }
}

static void move_references(World *to, const Transplant *t)
{
    World *from = t->from;
    COPY_LIST(to, branch, from);
    for (BranchId i = 1; i < to->branch.n; i++)
        move_op(t, &to->branch.at[i].inst, &to->branch.at[i].op);
    to->free_branch = from->free_branch;
    to->n_branches = from->n_branches;
    COPY_LIST(to, newborn, from);
    COPY_LIST(to, link, from);
    for (uint32_t i = 1; i < to->link.n; i++)
        if (to->link.at[i].target && to->link.at[i].inst)
            move_word(t, &to->link.at[i].inst, &to->link.at[i].what);
    to->free_link = from->free_link;
    COPY_LIST(to, watch, from);
    for (uint32_t i = 1; i < to->watch.n; i++)
        if (to->watch.at[i].inst) {
            move_op(t, &to->watch.at[i].inst, &to->watch.at[i].op);
            move_word(t, &to->watch.at[i].slot_inst, &to->watch.at[i].slot_word);
        }
    to->free_watch = from->free_watch;
    to->n_watches = from->n_watches;
    for (uint32_t i = 0; i < to->overrides.n && i < from->overrides.n; i++) {
        to->overrides.at[i].var = from->overrides.at[i].var;
        to->overrides.at[i].used = from->overrides.at[i].used;
    }
}

/* The bundle of the same names. */
static uint32_t bundle_there(World *to, const Transplant *t, InstId inst, uint32_t bundle)
{
    World *from = t->from;
    Plan *plan = world_at(from, inst)->plan;
    const Bundle *old = signature_bundle(plans_signature(from->plans, plan), bundle);
    const Terminal *first = old->n_potentials ? old->potentials : old->flows;
    const char *name = intern_text(program_names(from->program), first->name);
    const Signature *s = plans_signature(to->plans, world_at(to, inst)->plan);
    for (uint32_t i = 0; i < s->n; i++) {
        const Bundle *b = &s->bundle[i];
        const Terminal *mine = b->n_potentials ? b->potentials : b->flows;
        if (b->n_potentials == old->n_potentials && b->n_flows == old->n_flows &&
            strcmp(intern_text(program_names(to->program), mine->name), name) == 0)
            return b->id;
    }
    return 0;
}

static void move_connections(World *to, Transplant *t)
{
    Connect *c = to->connect, *from = t->from->connect;
    COPY_LIST(c, node, from);
    COPY_LIST(c, edge, from);
    COPY_LIST(c, sum, from);
    COPY_LIST(c, set, from);
    COPY_LIST(c, words, from);
    memcpy(c->free_block, from->free_block, sizeof c->free_block);
    c->free_node = from->free_node;
    c->free_edge = from->free_edge;
    c->free_sum = from->free_sum;
    c->free_set = from->free_set;
    c->n_edges = from->n_edges;
    c->n_spares = from->n_spares;
    c->n_sets = from->n_sets;
    for (uint32_t i = 1; i < c->node.n; i++) {
        Node *node = &c->node.at[i];
        if (!node->set)
            continue;
        node->bundle = bundle_there(to, t, node->inst, node->bundle);
        if (!node->bundle)
            fail(to, t, NULL);
        else
            connect_shape(c, &c->set.at[node->set],
                          connect_bundle(c, world_at(to, node->inst), node->bundle), node->inst);
        connect_end_read(c, node);
    }
    for (uint32_t i = 1; i < c->edge.n; i++) {
        Edge *edge = &c->edge.at[i];
        if (!edge->inst)
            continue;
        if (!edge->node[0])
            edge->spare.bundle = bundle_there(to, t, edge->spare.end[0], edge->spare.bundle);
        move_op(t, &edge->inst, &edge->op);
        edge->at = world_at(to, edge->inst)->plan->ops[edge->op].at;
    }
}

/* What is the same on both sides: written and read. */
static void copy_packed(World *to, World *from)
{
    Pack p = {.mem = to->mem, .writing = true};
    pack_map(&p, &from->births);
    pack_map(&p, &from->connect->node_of);
    singular_pack(from, &p);
    p.writing = false;
    pack_map(&p, &to->births);
    pack_map(&p, &to->connect->node_of);
    singular_pack(to, &p);
    pack_free(&p);
}

static void transplant_task(World *to, void *argument)
{
    Transplant *t = argument;
    plans_like(to->plans, t->from->plans, t->top);
    vec_reserve(to->mem, &to->inst, t->from->inst.n);
    memset(to->inst.at, 0, t->from->inst.n * sizeof *to->inst.at);
    to->inst.n = t->from->inst.n;
    find_edited(to, t);
    plant_all(to, t);
    if (!t->failed)
        take_numbers(to, t);
    if (!t->failed) {
        move_owners(to, t);
        move_references(to, t);
        move_connections(to, t);
        copy_packed(to, t->from);
    }
    to->plans->like = NULL;
    map_free(to->mem, &t->plan);
    map_free(to->mem, &t->edited);
    map_free(to->mem, &t->op);
    map_free(to->mem, &t->word);
    vec_free(to->mem, &t->todo);
    vec_free(to->mem, &t->later);
}

bool world_transplant(World *to, World *from, Def *top, const WrittenText *text)
{
    Transplant t = {.from = from, .top = top, .text = text};
    return world_guarded(to, transplant_task, &t) && !t.failed;
}
