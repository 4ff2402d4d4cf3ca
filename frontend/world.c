/* world.c: calls of the runtime -> work on instances; tables of what exists. See world.h. */
#include "frontend/world_int.h"

#include <stdarg.h>
#include <string.h>

enum { MAX_INSTANCES = 10 * 1000 * 1000, MAX_DEPTH = 1000 * 1000 };

/* ---- messages ---- */

static void message(World *world, Severity severity, Place at, const char *format, va_list list)
{
    char text[2048];
    vsnprintf(text, sizeof text, format, list);
    if (severity == DIAG_ERROR)
        diag_error(world->diags, at, "%s", text);
    else if (severity == DIAG_WARNING)
        diag_warning(world->diags, at, "%s", text);
    else
        diag_note(world->diags, at, "%s", text);
}

void world_warn(World *world, Place at, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    message(world, DIAG_WARNING, at, format, list);
    va_end(list);
}

void world_fail(World *world, Place at, const char *format, ...)
{
    va_list list;
    world->failed = true;
    va_start(list, format);
    message(world, DIAG_ERROR, at, format, list);
    va_end(list);
}

void world_remark(World *world, Place at, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    message(world, DIAG_NOTE, at, format, list);
    va_end(list);
}

/* ---- entry points and their guard ---- */

void world_exhausted(World *world)
{
    if (!world->exhausted)
        program_exhausted(world->program);
    world->exhausted = world->failed = true;
}

typedef void (*WorldTask)(World *world, void *argument);

/* True when the task ended without a new error. */
bool world_guarded(World *world, WorldTask task, void *argument)
{
    if (world->exhausted)
        return false;
    uint32_t before = world->diags->errors;
    MemGuard guard;
    mem_guard_push(world->mem, &guard);
    world->task++;
    if (setjmp(guard.env) == 0) {
        task(world, argument);
        mem_guard_pop(world->mem, &guard);
    } else {
        world_exhausted(world);
    }
    return !world->exhausted && world->diags->errors == before;
}

/* ---- opening and closing ---- */

static void reserve_zero(World *world)
{
    vec_push(world->mem, &world->inst, NULL);
    vec_push(world->mem, &world->branch, (Branch){0});
    vec_push(world->mem, &world->link, (Link){0});
    vec_push(world->mem, &world->watch, (Watch){0});
}

static void open_task(World *world, void *argument)
{
    (void)argument;
    arena_init(&world->arena, world->mem);
    reserve_zero(world);
    world->plans = plans_open(world->mem, world->program, world->forms);
    world->connect = connect_open(world);
    singular_open(world);
    world->time = world_enter_var(world, DDP_TIME, (OwnerInfo){.tag = OWNER_CLOCK});
    if (program_has_homotopy(world->program))
        world->homotopy = world_enter_var(world, DDP_KNOWN, (OwnerInfo){.tag = OWNER_HOMOTOPY});
}

static World *world_alloc(Mem *mem, Program *program)
{
    MemGuard guard;
    World *world = NULL;
    mem_guard_push(mem, &guard);
    if (setjmp(guard.env) == 0) {
        world = mem_alloc(mem, sizeof *world);
        mem_guard_pop(mem, &guard);
    } else {
        program_exhausted(program);
        return NULL;
    }
    world->mem = mem;
    world->program = program;
    world->diags = program_diags(program);
    return world;
}

World *world_open(Mem *mem, Program *program, FormTable *forms, Ddp *ddp, const WorldHost *host,
                  const WorldLimits *limits)
{
    World *world = world_alloc(mem, program);
    if (!world)
        return NULL;
    world->forms = forms;
    world->ddp = ddp;
    world->host = *host;
    if (limits)
        world->limits = *limits;
    if (!world->limits.instances)
        world->limits.instances = MAX_INSTANCES;
    if (!world->limits.depth)
        world->limits.depth = MAX_DEPTH;
    if (world_guarded(world, open_task, NULL))
        return world;
    world_close(world);
    return NULL;
}

void world_close(World *world)
{
    if (!world)
        return;
    Mem *mem = world->mem;
    plans_close(world->plans);
    connect_close(world->connect);
    singular_close(world);
    free_close(world);
    vec_free(mem, &world->inst);
    vec_free(mem, &world->free_inst);
    vec_free(mem, &world->var);
    vec_free(mem, &world->rel);
    vec_free(mem, &world->branch);
    vec_free(mem, &world->newborn);
    vec_free(mem, &world->link);
    vec_free(mem, &world->watch);
    vec_free(mem, &world->frames);
    vec_free(mem, &world->doomed);
    vec_free(mem, &world->pending);
    vec_free(mem, &world->copies);
    vec_free(mem, &world->copied_aliases);
    vec_free(mem, &world->changes);
    vec_free(mem, &world->monitored);
    vec_free(mem, &world->overrides);
    vec_free(mem, &world->edits);
    vec_free(mem, &world->hidden);
    map_free(mem, &world->is_hidden);
    vec_free(mem, &world->vars_scratch);
    vec_free(mem, &world->values_scratch);
    vec_free(mem, &world->text_scratch);
    map_free(mem, &world->births);
    map_free(mem, &world->warned);
    if (world->arena.mem)
        arena_free(&world->arena);
    mem_free(mem, world);
}

bool world_ok(const World *world)
{
    return !world->failed;
}

bool world_out_of_memory(const World *world)
{
    return world->exhausted;
}

DdpVar world_homotopy(const World *world)
{
    return world->homotopy;
}

DdpVar world_time(const World *world)
{
    return world->time;
}

InstId world_top(const World *world)
{
    return world->top;
}

/* ---- variables and relations ---- */

static void room_for(World *world, uint32_t number, bool var)
{
    if (var) {
        vec_reserve(world->mem, &world->var, number + 1);
        while (world->var.n <= number)
            world->var.at[world->var.n++] = (OwnerInfo){0};
    } else {
        vec_reserve(world->mem, &world->rel, number + 1);
        while (world->rel.n <= number)
            world->rel.at[world->rel.n++] = (OwnerInfo){0};
    }
}

DdpVar world_enter_var(World *world, DdpVarKind kind, OwnerInfo owner)
{
    DdpVar var = ddp_enter_var(world->ddp, kind);
    if (var >= world->var.n)
        room_for(world, var, true);
    world->var.at[var] = owner;
    world->n_vars++;
    keep_born(world, var);
    if (world->host.born)
        world->host.born(world->host.context, var, kind);
    return var;
}

void world_leave_var(World *world, DdpVar var)
{
    if (world->host.died)
        world->host.died(world->host.context, var);
    world->var.at[var] = (OwnerInfo){0};
    world->n_vars--;
    keep_died(world, var);
    ddp_remove_var(world->ddp, var);
}

DdpRel world_enter_rel(World *world, DdpRelKind kind, Form form, uint32_t n, const DdpVar *vars,
                       DdpVar logic, unsigned flags, OwnerInfo owner)
{
    DdpRel rel = ddp_enter_rel(world->ddp, kind, form, n, vars, logic, flags);
    if (rel >= world->rel.n)
        room_for(world, rel, false);
    world->rel.at[rel] = owner;
    world->n_rels++;
    singular_entered(world, rel, n, vars);
    if (logic)
        singular_entered(world, rel, 1, &logic);
    return rel;
}

void world_leave_rel(World *world, DdpRel rel)
{
    world->rel.at[rel] = (OwnerInfo){0};
    world->n_rels--;
    keep_left(world, rel);
    ddp_remove_rel(world->ddp, rel);
}

/* ---- before the start ---- */

static void override_task(World *world, void *argument)
{
    Override *o = argument;
    o->path = arena_copy(&world->arena, o->path, strlen(o->path));
    vec_push(world->mem, &world->overrides, *o);
}

bool world_override(World *world, const char *path, TypeKind type, double value)
{
    return world_guarded(world, override_task,
                         &(Override){.path = path, .type = type, .value = value});
}

bool world_override_misfit(const World *world)
{
    return world->misfit;
}

const char *world_override_unused(const World *world, uint32_t i)
{
    for (uint32_t k = 0; k < world->overrides.n; k++)
        if (!world->overrides.at[k].used && i-- == 0)
            return world->overrides.at[k].path;
    return NULL;
}

static void monitor_task(World *world, void *argument)
{
    vec_push(world->mem, &world->monitored, (const Def *)argument);
}

void world_monitor(World *world, const Def *def)
{
    if (!def) {
        world->monitor_all = true;
        return;
    }
    world_guarded(world, monitor_task, (void *)def);
}

/* ---- life ---- */

void world_compact_newborn(World *world)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < world->newborn.n; i++) {
        BranchId id = world->newborn.at[i];
        if (!id)
            continue;
        world->newborn.at[n++] = id;
        world->branch.at[id].newborn = n;
    }
    world->newborn.n = n;
}

static void create_task(World *world, void *argument)
{
    Def *top = argument;
    plans_survey(world->plans, top);
    Inst *inst = inst_create_later(world, plans_get(world->plans, top), NULL, 0, NULL, NULL, 0, 0);
    world->top = inst ? inst->id : 0;
    world_work(world);
    world_compact_newborn(world);
}

bool world_create(World *world, Def *top)
{
    return world_guarded(world, create_task, top);
}

static void remove_task(World *world, void *argument)
{
    (void)argument;
    if (!world->top)
        return;
    inst_remove_later(world, world_at(world, world->top));
    world->top = 0;
    world_work(world);
    for (uint32_t i = 0; i < world->overrides.n; i++) {
        if (world->overrides.at[i].var)
            world_leave_var(world, world->overrides.at[i].var);
        world->overrides.at[i].var = 0;
    }
    world_compact_newborn(world);
}

bool world_remove(World *world)
{
    return world_guarded(world, remove_task, NULL);
}

/* ---- branches ---- */

uint32_t world_branch_limit(const World *world)
{
    return world->branch.n;
}

bool world_branch(const World *world, BranchId id, WorldBranch *view)
{
    if (!id || id >= world->branch.n || !world->branch.at[id].inst)
        return false;
    const Branch *b = &world->branch.at[id];
    Inst *inst = world_at(world, b->inst);
    const Op *op = &inst->plan->ops[b->op];
    *view = (WorldBranch){
        .when = op->when,
        .has_else = op->other != NULL,
        .newborn = b->newborn != 0,
        .rests = inst->rests,
        .continuous = op->continuous,
        .movable = op->refs.at[0].movable,
        .implicit = b->implicit,
        .watch = op->watch,
        .assertion = op->assertion,
        .names = {op->names[0], op->names[1]},
        .choice = b->choice,
        .condition = follow_var(world, inst, &op->refs.at[0]),
        .owner = b->inst,
        .body = b->body,
        .copy_of = b->copy_of,
        .at = op->at,
    };
    const Op *before = b->op ? op - 1 : NULL; /* where lower.c puts the relation of a condition */
    if (before && before->kind == OP_REL && before->condition)
        view->relation = inst->word[before->word];
    return true;
}

bool world_branch_is_implicit(const World *world, BranchId id)
{
    return world->has_implicit && id < world->branch.n && world->branch.at[id].implicit;
}

bool world_has_implicit(const World *world)
{
    return world->has_implicit;
}

const BranchId *world_newborn(const World *world, uint32_t *n)
{
    *n = world->newborn.n;
    return world->newborn.at;
}

typedef struct Decisions {
    uint32_t n;
    const WorldDecision *list;
} Decisions;

static bool is_live(const World *world, BranchId id)
{
    return id && id < world->branch.n && world->branch.at[id].inst;
}

static bool in_resting(const World *world, BranchId id)
{
    return world_at(world, world->branch.at[id].inst)->rests;
}

/* The else branch of a `when` that fires rests, every other branch that is left goes. */
static void leave_branch(World *world, BranchId id)
{
    Branch *b = &world->branch.at[id];
    const Op *op = &world_at(world, b->inst)->plan->ops[b->op];
    uint32_t body = b->body;
    if (op->when && b->choice == WORLD_ELSE) {
        rest_body(world, id);
    } else {
        b->body = 0;
        b->choice = WORLD_NONE;
        if (body)
            inst_remove_later(world, world_at(world, body));
    }
    world_run(world);
}

void world_enter_branch(World *world, BranchId id, WorldChoice choice)
{
    Branch *b = &world->branch.at[id];
    Inst *inst = world_at(world, b->inst);
    const Op *op = &inst->plan->ops[b->op];
    Plan *plan = choice == WORLD_THEN ? op->plan : op->other;
    b->choice = (uint8_t)choice;
    uint32_t resting = op->when && choice == WORLD_THEN ? 0 : b->resting;
    if (resting)
        b->resting = 0;
    if (resting && b->rested == choice) {
        b->body = resting;
        wake_later(world, world_at(world, resting));
        return;
    }
    if (resting) { /* an `if` that chose otherwise when it came back */
        inst_remove_later(world, world_at(world, resting));
        world_run(world);
    }
    if (!plan)
        return;
    Inst *body = inst_create_later(world, plan, inst, op->word, NULL, inst, 0,
                                   inst_branch_logic(world, inst, op, choice));
    world->branch.at[id].body = body ? body->id : 0;
}

/* Does it leave something? Who was just born does not. */
static bool has_choice(const World *world, BranchId id)
{
    const Branch *b = &world->branch.at[id];
    return b->leaving && (b->choice != WORLD_NONE || b->body);
}

/* May others stand inside what it leaves? */
static bool may_rule(const World *world, BranchId id)
{
    const Branch *b = &world->branch.at[id];
    const Plan *plan = b->leaving && b->body ? world_at(world, b->body)->plan : NULL;
    for (uint32_t i = 0; plan && i < plan->n_ops; i++)
        if (plan->ops[i].kind == OP_BRANCH || plan->ops[i].kind == OP_PART ||
            plan->ops[i].kind == OP_DYNAMIC || plan->ops[i].kind == OP_LIST ||
            plan->ops[i].kind == OP_EACH)
            return true;
    return false;
}

/* Does the branch stand inside one that changes its choice? That one rules. */
static bool is_ruled(const World *world, BranchId id)
{
    const Inst *inst = world_at(world, world->branch.at[id].inst);
    for (; inst->owner; inst = world_at(world, inst->owner)) {
        if (!inst_is_in_branch(inst))
            continue;
        const Inst *around = world_at(world, inst->owner);
        if (world->branch.at[around->word[inst->owner_word]].leaving)
            return true;
    }
    return false;
}

/* Branches that went with one around them may be named further down the list of decisions, so their
 * numbers must not be used again before the list is through: a newborn branch would get a decision
 * that was meant for a dead one. */
static void free_branches_again(World *world, BranchId freed)
{
    while (freed) {
        BranchId next = world->branch.at[freed].body;
        world->branch.at[freed].body = world->free_branch;
        world->free_branch = freed;
        freed = next;
    }
}

/* What rests is not decided, also if it wakes by another decision of the list. False: no branch
 * that is left has others inside it. */
static bool mark_leaving(World *world, const Decisions *d)
{
    bool rules = false;
    for (uint32_t i = 0; i < d->n; i++) {
        BranchId id = d->list[i].branch;
        if (is_live(world, id) && !in_resting(world, id))
            world->branch.at[id].leaving = world->branch.at[id].choice != d->list[i].choice;
        rules |= is_live(world, id) && may_rule(world, id);
    }
    return rules;
}

/* A branch that is live, but neither marked nor of the choice wanted rested when the list came. */
static void enter_decided(World *world, const WorldDecision *d)
{
    if (!is_live(world, d->branch))
        return; /* it went with a branch around it */
    Branch *b = &world->branch.at[d->branch];
    bool marked = b->leaving;
    b->leaving = false;
    if (in_resting(world, d->branch) || (!marked && b->choice != d->choice))
        return;
    inst_forget_newborn(world, d->branch);
    b->copy_of = 0;
    if (marked)
        world_enter_branch(world, d->branch, d->choice);
    world_run(world);
}

static void choose_task(World *world, void *argument)
{
    const Decisions *d = argument;
    BranchId free_before = world->free_branch;
    world->free_branch = 0;
    bool rules = mark_leaving(world, d);
    for (uint32_t i = 0; i < d->n; i++) {
        BranchId id = d->list[i].branch;
        if (is_live(world, id) && has_choice(world, id) && !(rules && is_ruled(world, id)))
            leave_branch(world, id);
    }
    BranchId freed = world->free_branch;
    world->free_branch = free_before;
    for (uint32_t i = 0; i < d->n; i++)
        enter_decided(world, &d->list[i]);
    free_branches_again(world, freed);
    world_work(world);
    world_compact_newborn(world);
}

bool world_choose(World *world, uint32_t n, const WorldDecision *list)
{
    return world_guarded(world, choose_task, &(Decisions){n, list});
}

/* ---- changes ---- */

void world_note(World *world, WorldChange change)
{
    vec_push(world->mem, &world->changes, change);
}

const WorldChange *world_changes(const World *world, uint32_t *n)
{
    *n = world->changes.n;
    return world->changes.at;
}

void world_changes_clear(World *world)
{
    vec_clear(&world->changes);
}

/* What a live operation would have noted at its birth. */
static bool role_of(const World *world, Inst *inst, const Op *op, WorldChange *change)
{
    static const uint8_t role[] = {
        [OP_INITIAL] = WORLD_INITIAL, [OP_RANDOM] = WORLD_RANDOM, [OP_SAMPLE] = WORLD_SAMPLE,
        [OP_PRE] = WORLD_PRE,         [OP_HANDLE] = WORLD_HANDLE, [OP_DER] = WORLD_START,
        [OP_COUT] = WORLD_COUT,       [OP_BRANCH] = WORLD_BRANCH, [OP_DELAY] = WORLD_DELAY,
        [OP_BORN] = WORLD_BORN,
    };
    bool special = op->kind == OP_BRANCH || (op->kind < sizeof role && role[op->kind]);
    if (!special || (op->kind == OP_DER && op->refs.n != 3))
        return false;
    *change = (WorldChange){.role = role[op->kind], .born = true, .at = op->at};
    change->a =
        op->kind == OP_COUT ? follow_var(world, inst, &op->refs.at[0]) : inst->word[op->word];
    if (op->kind == OP_DER) {
        change->b = follow_var(world, inst, &op->refs.at[2]);
        change->c = follow_var(world, inst, &op->refs.at[1]);
    } else if (op->kind == OP_PRE) {
        change->b = follow_var(world, inst, &op->refs.at[0]);
        change->c = op->lasts;
    } else if (op->kind == OP_DELAY) {
        change->b = follow_var(world, inst, &op->refs.at[0]);
        change->c = op->refs.n > 1 ? follow_var(world, inst, &op->refs.at[1]) : 0;
    } else if (op->kind == OP_HANDLE) {
        change->b = op->function;
        change->c = inst->id;
    }
    return change->a != 0;
}

static void list_all_task(World *world, void *argument)
{
    (void)argument;
    for (InstId id = world_next_inst(world, 0); id; id = world_next_inst(world, id)) {
        Inst *inst = world_at(world, id);
        WorldChange change;
        for (uint32_t i = 0; i < inst->plan->n_ops; i++) {
            const Op *op = &inst->plan->ops[i];
            if (!role_of(world, inst, op, &change) || edit_hides(world, inst, op))
                continue;
            if (op->kind == OP_SAMPLE || op->kind == OP_DELAY)
                birth_value(world, inst, op->value, NULL, &change.value);
            world_note(world, change);
        }
    }
}

void world_changes_list_all(World *world)
{
    world_guarded(world, list_all_task, NULL);
}

bool world_function(const World *world, uint32_t number, WorldFunction *view)
{
    const Def *def = plans_function(world->plans, number);
    PlanBuiltin builtin = plans_builtin_of(world->plans, number);
    if (!def && builtin == BUILTINS)
        return false;
    *view = (WorldFunction){.table = builtin == BUILTIN_TABLE,
                            .delay = builtin == BUILTIN_DELAY,
                            .def = def,
                            .what = def ? def->external : NULL};
    view->has_handle = def && def->external->constructor;
    return true;
}

uint32_t world_function_count(const World *world)
{
    return plans_function_count(world->plans);
}

uint32_t world_function_number(const World *world, uint32_t index)
{
    return plans_function_number(world->plans, index);
}

DdpVar world_param(const World *world, InstId id, uint32_t index)
{
    const Inst *inst = world_at(world, id);
    const Member *member = inst->plan->def->params[index];
    return inst->word[inst->plan->family->member_word[member->index]];
}

uint64_t world_paths(const World *world)
{
    return world_is_edited(world) ? 0 : world->paths + 1;
}

/* ---- totals ---- */

static size_t table_bytes(const World *world)
{
    return world->inst.cap * sizeof(Inst *) + world->free_inst.cap * sizeof(uint32_t) +
           (world->var.cap + world->rel.cap) * sizeof(OwnerInfo) +
           world->branch.cap * sizeof(Branch) + world->link.cap * sizeof(Link) +
           world->watch.cap * sizeof(Watch) + world->newborn.cap * sizeof(BranchId) +
           world->changes.cap * sizeof(WorldChange) + world->frames.cap * sizeof(Frame);
}

WorldTotals world_totals(const World *world)
{
    return (WorldTotals){
        .instances = world->n_inst,
        .variables = world->n_vars,
        .relations = world->n_rels,
        .branches = world->n_branches,
        .connections = connect_edge_count(world->connect),
        .sets = connect_set_count(world->connect),
        .watches = world->n_watches,
        .bytes = world->arena.used + table_bytes(world) + connect_bytes(world->connect) +
                 plans_bytes(world->plans),
    };
}
