/* instantiate.c: plans -> instances, their variables and relations; and back.
 *
 * All work is a stack of frames, one per instance under construction or removal; a frame that meets
 * a part pushes a frame for it and goes on when that is done. So nesting costs heap, not C stack. A
 * frame of creation runs the plan forwards, one of removal the same plan backwards.
 *
 * Moves, copies and aliases are in transfer.c, what depends on paths in depend.c. */
#include "frontend/world_int.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- instances ---- */

Inst *inst_memory(World *world, Plan *plan)
{
    size_t size = sizeof(Inst) + plan->n_words * sizeof(uint32_t);
    Inst *inst = plan->free;
    if (inst) {
        memcpy(&plan->free, inst->word, sizeof plan->free);
        memset(inst, 0, size);
        return inst;
    }
    size_t room = size < sizeof(Inst) + sizeof(Inst *) ? sizeof(Inst) + sizeof(Inst *) : size;
    return arena_alloc(&world->arena, room);
}

static uint32_t inst_number(World *world)
{
    if (world->free_inst.n)
        return vec_pop(&world->free_inst);
    vec_push(world->mem, &world->inst, NULL);
    vec_reserve(world->mem, &world->free_inst, world->inst.n); /* so that freeing never fails */
    return world->inst.n - 1;
}

/* What it is of the monitored definitions, or NULL. */
static const Def *monitored_as(const World *world, const Inst *inst)
{
    for (uint32_t i = 0; i < world->monitored.n; i++)
        for (const Def *def = inst->plan->def; def; def = def->base)
            if (def->text == world->monitored.at[i]->text) /* in whatever surrounding */
                return def;
    return NULL;
}

static void note_monitored(World *world, const Inst *inst, bool born)
{
    if (inst->plan->is_branch || (!world->monitored.n && !world->monitor_all))
        return;
    const Def *def = monitored_as(world, inst);
    if (!def && !world->monitor_all)
        return;
    world_note(world, (WorldChange){.role = WORLD_MONITORED,
                                    .born = born,
                                    .copied = inst->copied,
                                    .a = inst->id,
                                    .b = !def,
                                    .at = def ? def->at : inst->plan->def->at});
}

static bool too_many(World *world, const Inst *owner, Place at)
{
    if (world->too_many)
        return true;
    if (world->n_inst >= world->limits.instances)
        world_fail(world, at, "more than %u instances: does a model declare itself without end?",
                   world->limits.instances);
    else if (owner && owner->depth >= world->limits.depth)
        world_fail(world, at,
                   "instances nested deeper than %u: does a model declare itself "
                   "without end?",
                   world->limits.depth);
    else
        return false;
    world->too_many = true;
    return true;
}

Inst *inst_create_later(World *world, Plan *plan, Inst *owner, uint32_t word, const Op *cause,
                        Inst *scope, uint32_t source, DdpVar logic)
{
    if (too_many(world, owner, cause ? cause->at : plan->def->at))
        return NULL;
    plans_compile(world->plans, plan);
    uint32_t id = inst_number(world);
    Inst *inst = inst_memory(world, plan);
    inst->plan = plan;
    inst->id = id;
    inst->owner = owner ? owner->id : 0;
    inst->owner_word = word;
    inst->depth = owner ? owner->depth + 1 : 0;
    inst->birth = hash_u64((owner ? owner->birth : 1) * 0x9e3779b97f4a7c15u +
                           ((uint64_t)plan->family->number << 32 | word));
    inst->logic = logic;
    inst->copied = source != 0;
    inst->task = world->task;
    inst->typed = world->editing || (owner && owner->typed);
    if (plan->foreign && inst->typed && !world->edits_call_foreign)
        world_fail(world, plan->def->at,
                   "'%s' calls foreign functions or reads files: edits may "
                   "not do that here",
                   intern_text(program_names(world->program), plan->def->name));
    world->inst.at[id] = inst;
    world->n_inst++;
    Frame frame = {.inst = inst, .cause = cause, .scope = scope, .source = source};
    vec_push(world->mem, &world->frames, frame);
    note_monitored(world, inst, true);
    return inst;
}

/* Everything it owned is gone. */
static void inst_free(World *world, Inst *inst)
{
    Plan *plan = inst->plan;
    note_monitored(world, inst, false);
    if (world_is_edited(world))
        edit_forget(world, inst);
    world->inst.at[inst->id] = NULL;
    vec_push(world->mem, &world->free_inst, inst->id);
    world->n_inst--;
    inst->plan = NULL;
    memcpy(inst->word, &plan->free, sizeof plan->free);
    plan->free = inst;
}

void inst_remove_later(World *world, Inst *inst)
{
    Frame frame = {.inst = inst, .op = inst->plan->n_ops, .work = FRAME_REMOVE};
    vec_push(world->mem, &world->frames, frame);
    if (world->edits.n)
        edits_remove_later(world, inst);
    connect_end_removed(world, inst);
    /* From outside nothing may refer to what goes: aliases become empty, connections end. */
    while (inst->links) {
        Link link = world->link.at[inst->links];
        if (link.inst) {
            Inst *holder = world_at(world, link.inst);
            follow_unlink(world, inst->links);
            holder->word[link.what] = 0;
            holder->word[link.what + 1] = 0;
            follow_fire(world, holder, link.what + 2);
        } else {
            EdgeView edge = connect_edge(world->connect, link.what);
            Inst *holder = world_at(world, edge.inst);
            connect_remove(world->connect, link.what);
            holder->word[holder->plan->ops[edge.op].word] = 0;
        }
    }
}

void inst_doom(World *world, Inst *inst)
{
    inst->owner = 0;
    vec_push(world->mem, &world->doomed, inst->id);
}

/* ---- variables ---- */

DdpVar inst_make_var(World *world, Inst *inst, const Op *op)
{
    OwnerInfo owner = {.who = inst->id, .what = op->word, .tag = OWNER_INST};
    DdpVarKind kind = world->hidden.n ? hold_at_birth(world, inst, op) : (DdpVarKind)op->var_kind;
    DdpVar var = world_enter_var(world, kind, owner);
    inst->word[op->word] = var;
    return var;
}

static void drop_var(World *world, Inst *inst, const Op *op)
{
    if (inst->word[op->word])
        world_leave_var(world, inst->word[op->word]);
    inst->word[op->word] = 0;
}

static void write_value(World *world, DdpVar var, double value)
{
    world->host.write(world->host.context, var, value);
}

/* A copy's variable starts with the value of the original. */
static bool copy_value(World *world, Inst *inst, const Op *op, const Frame *frame)
{
    if (!frame->source)
        return false;
    const Inst *source = world_at(world, frame->source);
    double value;
    DdpVar from = source ? source->word[op->word] : 0;
    if (!from || !world->host.read(world->host.context, from, &value))
        return false;
    write_value(world, inst->word[op->word], value);
    return true;
}

void world_note_role(World *world, const Inst *inst, const Op *op, WorldRole role, bool born,
                     uint32_t a, uint32_t b, uint32_t c)
{
    world_note(world, (WorldChange){.role = role,
                                    .born = born,
                                    .copied = inst->copied,
                                    .a = a,
                                    .b = b,
                                    .c = c,
                                    .at = op->at});
}

/* ---- parameters ---- */

/* A variable with the start value that was set from outside for `x`; 0: none was. */
static DdpVar override_start(World *world, DdpVar x)
{
    Override *o = override_of(world, x);
    if (o && !o->var) {
        OwnerInfo owner = {.who = (uint32_t)(o - world->overrides.at), .tag = OWNER_SET};
        o->var = world_enter_var(world, DDP_KNOWN, owner);
        write_value(world, o->var, o->value);
    }
    return o ? o->var : 0;
}

const PlanArg *inst_argument(const Frame *frame, const Member *parameter)
{
    for (uint32_t i = 0; frame->cause && i < frame->cause->n_args; i++)
        if (frame->cause->args[i].parameter == parameter ||
            frame->cause->args[i].parameter->name == parameter->name)
            return &frame->cause->args[i];
    return NULL;
}

static void make_param(World *world, Inst *inst, const Op *op, const Frame *frame)
{
    DdpVar var = inst_make_var(world, inst, op);
    if (copy_value(world, inst, op, frame))
        return;
    double value = 0;
    const char *name = intern_text(program_names(world->program), op->member->name);
    const PlanArg *arg = inst_argument(frame, op->member);
    const Override *o = override_of(world, var);
    if (o)
        value = o->value;
    else if (arg && row_fits(world, frame->scope, &arg->value, name))
        value = free_made(world, frame->scope, &arg->value, name, var);
    else if (!arg && op->value && row_fits(world, inst, op->value, name))
        value = free_made(world, inst, op->value, name, var);
    else if (!arg && !op->value && op->member->fixed != FIXED_FALSE)
        world_fail(world, frame->cause ? frame->cause->at : op->at, "parameter '%s' has no value",
                   name);
    write_value(world, var, value);
    if (op->member->fixed == FIXED_FALSE)
        free_note(world, var);
}

/* ---- parts ---- */

static void make_part(World *world, Inst *inst, const Op *op, const Frame *frame)
{
    DdpVar logic = op->kind == OP_DYNAMIC || op->transient ? 0 : inst->logic;
    Plan *plan = op->plan;
    uint32_t source = 0, words[ROW_WORDS - ROW_FAN];
    if (frame->source) {
        const Inst *original = world_at(world, frame->source);
        source = original ? original->word[op->word] : 0;
        plan = source ? world_at(world, source)->plan : NULL;
    }
    if (plan && plan->row)
        plan = row_node(world, inst, op, words);
    if (!plan)
        return;
    /* Nodes of an array that is a parameter hand on what was given for it. */
    bool given = plan->row && plan->row->member && plan->row->member->parameter;
    Inst *part = inst_create_later(world, plan, inst, op->word, given ? frame->cause : op,
                                   given ? frame->scope : inst, source, logic);
    inst->word[op->word] = part ? part->id : 0;
    if (part)
        vec_last(&world->frames).copy = frame->copy;
    for (uint32_t i = ROW_FAN; part && plan->row && i < ROW_WORDS; i++)
        part->word[i] = words[i - ROW_FAN];
}

static void drop_part(World *world, Inst *inst, const Op *op)
{
    if (op->kind == OP_DYNAMIC)
        follow_fire(world, inst, op->word + 1);
    uint32_t part = inst->word[op->word];
    inst->word[op->word] = 0;
    if (part)
        inst_remove_later(world, world_at(world, part));
}

/* ---- relations and derivatives ---- */

/* The variables of all refs; false when one leads nowhere. */
static bool gather(World *world, Inst *inst, const RefList *refs)
{
    vec_clear(&world->vars_scratch);
    vec_reserve(world->mem, &world->vars_scratch, refs->n);
    world->vars_scratch.n = refs->n; /* subscripts are evaluated behind them */
    for (uint32_t i = 0; i < refs->n; i++) {
        DdpVar var = follow_var(world, inst, &refs->at[i]);
        if (!var)
            return false;
        world->vars_scratch.at[i] = var;
    }
    return true;
}

static void make_rel(World *world, Inst *inst, uint32_t index, const Op *op)
{
    if (!gather(world, inst, &op->refs))
        return;
    OwnerInfo owner = {.who = inst->id, .what = index, .tag = OWNER_INST};
    inst->word[op->word] = world_enter_rel(world, op->var_kind, op->form, op->refs.n,
                                           world->vars_scratch.at, inst->logic, 0, owner);
}

/* The attribute `stateSelect` of the variable counts, then whether it is a derState. */
static unsigned select_flags(const World *world, DdpVar var, unsigned flags)
{
    WorldVar view = {0};
    bool known = world_var(world, var, &view) && view.member && view.member->select;
    return known ? view.member->select : flags;
}

static void make_der(World *world, Inst *inst, uint32_t index, const Op *op, const Frame *frame)
{
    if (!gather(world, inst, &op->refs))
        return;
    const DdpVar *vars = world->vars_scratch.at;
    OwnerInfo owner = {.who = inst->id, .what = index, .tag = OWNER_INST};
    DdpRel rel = world_enter_rel(world, DDP_DERIVATIVE, 0, 2, vars, inst->logic,
                                 select_flags(world, vars[1], op->flags), owner);
    inst->word[op->word] = rel;
    double value;
    DdpVar x = vars[1], start = op->refs.n == 3 ? vars[2] : 0, set = override_start(world, x);
    if (!start && !set)
        return;
    /* Where it is a copy, or only comes back with its path, its value counts if it has one. */
    bool goes_on = (frame->source || frame->again || frame->woken) &&
                   world->host.read(world->host.context, x, &value);
    world_note(world, (WorldChange){.role = WORLD_START,
                                    .born = true,
                                    .copied = goes_on && !frame->woken,
                                    .again = goes_on && frame->woken,
                                    .a = rel,
                                    .b = set ? set : start,
                                    .c = x,
                                    .at = op->at});
}

void inst_leave_rel(World *world, Inst *inst, const Op *op)
{
    DdpRel rel = inst->word[op->word];
    if (!rel)
        return;
    if (op->kind == OP_DER && (op->refs.n == 3 || world->overrides.n))
        world_note_role(world, inst, op, WORLD_START, false, rel, 0, 0);
    inst->word[op->word] = 0;
    world_leave_rel(world, rel);
}

void inst_enter_rel(World *world, Inst *inst, uint32_t index, const Frame *frame)
{
    const Op *op = &inst->plan->ops[index];
    if (op->kind == OP_DER)
        make_der(world, inst, index, op, frame);
    else
        make_rel(world, inst, index, op);
}

void inst_hint(World *world, Inst *inst, const Op *op, int change)
{
    DdpVar var = follow_var(world, inst, &op->refs.at[0]);
    if (var)
        ddp_hint_tearing(world->ddp, var, change);
}

/* ---- special variables ---- */

static void make_random(World *world, Inst *inst, uint32_t index, const Op *op, const Frame *frame)
{
    DdpVar var = inst_make_var(world, inst, op);
    world_note_role(world, inst, op, WORLD_RANDOM, true, var, 0, 0);
    if (copy_value(world, inst, op, frame))
        return;
    uint64_t place = hash_u64(inst->birth + index);
    uint32_t births = map_get(&world->births, place);
    map_put(world->mem, &world->births, place, births + 1);
    write_value(world, var, world->host.draw(world->host.context, place, births));
}

static void make_known(World *world, Inst *inst, const Op *op, const Frame *frame)
{
    DdpVar var = inst_make_var(world, inst, op);
    if (!copy_value(world, inst, op, frame))
        write_value(world, var, free_made(world, inst, op->value, NULL, var));
}

static void make_initial(World *world, Inst *inst, const Op *op, WorldRole role)
{
    DdpVar var = inst_make_var(world, inst, op);
    write_value(world, var, 1);
    world_note_role(world, inst, op, role, true, var, 0, 0);
}

static void make_pre(World *world, Inst *inst, const Op *op)
{
    DdpVar of = follow_var(world, inst, &op->refs.at[0]);
    DdpVar var = inst_make_var(world, inst, op);
    double value;
    if (of && world->host.read(world->host.context, of, &value))
        write_value(world, var, value);
    world_note_role(world, inst, op, WORLD_PRE, true, var, of, op->lasts);
}

static void drop_role(World *world, Inst *inst, const Op *op, WorldRole role)
{
    world_note_role(world, inst, op, role, false, inst->word[op->word], 0, 0);
    drop_var(world, inst, op);
}

/* ---- connections ---- */

static bool stays(const Ref *ref)
{
    const Member *last = ref->step[ref->n - 1].member;
    return !ref->movable && (!last || last->binding == BIND_STATIC);
}

void inst_connect(World *world, Inst *inst, uint32_t index)
{
    const Op *op = &inst->plan->ops[index];
    Inst *a = follow_inst(world, inst, &op->refs.at[0]);
    Inst *b = follow_inst(world, inst, &op->refs.at[1]);
    if (!a || !b || world->too_many)
        return;
    uint32_t edge = connect_add(world->connect, inst, index, a, op->own[0], b, op->own[1], op->at);
    inst->word[op->word] = edge;
    if (!edge)
        return;
    uint32_t link_a = stays(&op->refs.at[0]) ? 0 : follow_link(world, a, 0, edge);
    uint32_t link_b = stays(&op->refs.at[1]) ? 0 : follow_link(world, b, 0, edge);
    connect_edge_links(world->connect, edge, link_a, link_b);
}

void inst_disconnect(World *world, Inst *inst, const Op *op)
{
    if (inst->word[op->word])
        connect_remove(world->connect, inst->word[op->word]);
    inst->word[op->word] = 0;
}

/* ---- running a plan ---- */

/* Each declaration once. */
static void warn_unused(World *world, const Op *op)
{
    if (map_get(&world->warned, op->at))
        return;
    map_put(world->mem, &world->warned, op->at, 1);
    world_warn(world, op->at, "nothing determines '%s', and nothing uses it: it stays %s",
               intern_text(program_names(world->program), op->member->name),
               op->value                  ? "at its start"
               : op->type == TYPE_BOOLEAN ? "false"
               : op->type == TYPE_STRING  ? "empty"
                                          : "0");
}

static inline void note_element(World *world, const Inst *inst, const Op *op)
{
    const Inst *owner = inst->owner ? world_at(world, inst->owner) : NULL;
    bool row = inst->plan->row != NULL;
    world->element = row ? inst : owner && owner->plan->row ? owner : NULL;
    world->element_word = row ? op->word : inst->owner_word;
}

void inst_note_element(World *world, const Inst *inst, const Op *op)
{
    note_element(world, inst, op);
}

static void check_nominal(World *world, Inst *inst, const Op *op)
{
    double value;
    const char *name = intern_text(program_names(world->program), op->member->name);
    if (!row_fits(world, inst, op->nominal, name) ||
        !birth_value(world, inst, op->nominal, NULL, &value) || (value > 0 && isfinite(value)))
        return;
    world_fail(world, op->nominal->at, "'nominal' of '%s' is %.10g: it must be above 0", name,
               value);
}

static void make_index(World *world, Inst *inst, const Op *op)
{
    DdpVar var = inst_make_var(world, inst, op);
    write_value(world, var, row_index(world, world_at(world, inst->owner), inst->owner_word, 0));
}

void inst_op_forwards(World *world, Inst *inst, uint32_t index, const Frame *frame)
{
    const Op *op = &inst->plan->ops[index];
    if (inst->plan->row && !row_has(inst, op))
        return;
    note_element(world, inst, op);
    switch ((OpKind)op->kind) {
    case OP_VAR:
        if (op->unused)
            warn_unused(world, op);
        /* fall through */
    case OP_AUX:
        inst_make_var(world, inst, op);
        if (!copy_value(world, inst, op, frame) && op->value)
            inst_begin_value(world, inst, op);
        if (op->nominal)
            check_nominal(world, inst, op);
        break;
    case OP_PARAM:
        make_param(world, inst, op, frame);
        break;
    case OP_ALIAS:
        transfer_make_alias(world, inst, op, frame);
        break;
    case OP_PART:
    case OP_DYNAMIC:
        make_part(world, inst, op, frame);
        break;
    case OP_LIST: /* empty */
        if (frame->source)
            world_fail(world, op->at,
                       "'%s' is a dynamic array: what holds one is moved, not copied",
                       intern_text(program_names(world->program), op->member->name));
        break;
    case OP_EACH: /* rounds come when all that is there is complete */
        depend_suspend(world, inst, index);
        break;
    case OP_INITIAL:
        make_initial(world, inst, op, WORLD_INITIAL);
        break;
    case OP_BORN:
        make_initial(world, inst, op, WORLD_BORN);
        break;
    case OP_RANDOM:
        make_random(world, inst, index, op, frame);
        break;
    case OP_INDEX:
        make_index(world, inst, op);
        break;
    case OP_SAMPLE:
        inst_make_sample(world, inst, op);
        break;
    case OP_PRE:
        make_pre(world, inst, op);
        break;
    case OP_DELAY:
        inst_make_delay(world, inst, op);
        break;
    case OP_HANDLE:
        world_note_role(world, inst, op, WORLD_HANDLE, true, inst_make_var(world, inst, op),
                        op->function, inst->id);
        break;
    case OP_KNOWN:
        make_known(world, inst, op, frame);
        break;
    case OP_ASSERT:
        inst_assert(world, inst, op, frame->cause ? frame->cause->at : 0);
        break;
    case OP_EXISTS:
        inst_make_var(world, inst, op);
        depend_exists_update(world, inst, index);
        break;
    case OP_REL:
    case OP_DER:
        inst_enter_rel(world, inst, index, frame);
        break;
    case OP_TEAR:
        inst_hint(world, inst, op, 1);
        break;
    case OP_COUT:
    case OP_REINIT:
    case OP_TERMINATE:
        inst_note_special(world, inst, op, true);
        break;
    case OP_CONNECT:
        inst_connect(world, inst, index);
        break;
    case OP_BRANCH:
        world_make_branch(world, inst, index, op, frame);
        break;
    case OP_GROUP:
        depend_group_enter(world, inst, index, false);
        break;
    case OP_BIND: /* a copy has what the original came to have */
        if (!frame->source)
            transfer_bind(world, inst, op);
        break;
    case OP_MOVE:
        if (!frame->source)
            transfer_move(world, inst, op);
        break;
    case OP_COPY:
        if (!frame->source)
            transfer_copy(world, inst, op);
        break;
    case OP_TRASH:
        if (!frame->source)
            transfer_trash(world, inst, op);
        break;
    case OP_APPEND:
        if (!frame->source)
            list_born(world, inst, op);
        break;
    }
}

void inst_op_backwards(World *world, Inst *inst, uint32_t index)
{
    const Op *op = &inst->plan->ops[index];
    switch ((OpKind)op->kind) {
    case OP_VAR:
    case OP_AUX:
    case OP_PARAM:
    case OP_KNOWN:
    case OP_INDEX:
        drop_var(world, inst, op);
        break;
    case OP_ALIAS:
        transfer_set_alias(world, inst, op->word, NULL);
        break;
    case OP_PART:
    case OP_DYNAMIC:
        drop_part(world, inst, op);
        break;
    case OP_LIST:
        list_drop(world, inst, op);
        break;
    case OP_EACH:
        list_each_drop(world, inst, op);
        break;
    case OP_INITIAL:
        drop_role(world, inst, op, WORLD_INITIAL);
        break;
    case OP_BORN:
        drop_role(world, inst, op, WORLD_BORN);
        break;
    case OP_RANDOM:
        drop_role(world, inst, op, WORLD_RANDOM);
        break;
    case OP_SAMPLE:
        drop_role(world, inst, op, WORLD_SAMPLE);
        break;
    case OP_PRE:
        drop_role(world, inst, op, WORLD_PRE);
        break;
    case OP_DELAY:
        drop_role(world, inst, op, WORLD_DELAY);
        break;
    case OP_HANDLE:
        drop_role(world, inst, op, WORLD_HANDLE);
        break;
    case OP_EXISTS:
        depend_drop_exists(world, inst, index);
        break;
    case OP_REL:
    case OP_DER:
        inst_leave_rel(world, inst, op);
        break;
    case OP_TEAR:
        if (!inst->rests) /* else it is taken back already */
            inst_hint(world, inst, op, -1);
        break;
    case OP_COUT:
    case OP_REINIT:
    case OP_TERMINATE:
        inst_note_special(world, inst, op, false);
        break;
    case OP_CONNECT:
        inst_disconnect(world, inst, op);
        break;
    case OP_BRANCH:
        world_drop_branch(world, inst, op);
        break;
    case OP_GROUP:
        depend_drop_group(world, inst, index);
        break;
    case OP_ASSERT:
    case OP_BIND:
    case OP_MOVE:
    case OP_COPY:
    case OP_APPEND:
    case OP_TRASH: /* the end of a branch undoes nothing */
        break;
    }
}

static void step_backwards(World *world, Frame *top)
{
    Inst *inst = top->inst;
    FrameWork work = top->work;
    if (top->op == 0) {
        world->frames.n--;
        if (work == FRAME_REMOVE)
            inst_free(world, inst);
        return;
    }
    uint32_t index = --top->op;
    if (inst->plan->ops[index].grouped || edit_hides(world, inst, &inst->plan->ops[index]))
        return;
    if (work == FRAME_REMOVE)
        inst_op_backwards(world, inst, index);
    else
        rest_op(world, inst, index);
}

static void step_forwards(World *world, Frame *top)
{
    Inst *inst = top->inst;
    if (top->op == inst->plan->n_ops) {
        world->frames.n--;
        return;
    }
    uint32_t index = top->op;
    const Op *op = &inst->plan->ops[index];
    top->op += op->kind == OP_GROUP ? op->span + 1 : 1;
    Frame frame = *top;
    if (edit_hides(world, inst, op))
        return;
    if (frame.work == FRAME_CREATE)
        inst_op_forwards(world, inst, index, &frame);
    else
        wake_op(world, inst, index, &frame);
}

/* One step of the frame on top. It may push another one, so the frame is not touched afterwards. */
static void step(World *world)
{
    Frame *top = &vec_last(&world->frames);
    if (top->work == FRAME_REMOVE || top->work == FRAME_REST)
        step_backwards(world, top);
    else
        step_forwards(world, top);
}

void world_run(World *world)
{
    while (world->frames.n)
        step(world);
}

void world_work(World *world)
{
    do {
        world_run(world);
        transfer_bind_copies(world);
        for (uint32_t i = 0; i < world->doomed.n; i++) {
            if (world->doomed.at[i])
                inst_remove_later(world, world_at(world, world->doomed.at[i]));
            world_run(world);
        }
        vec_clear(&world->doomed);
        depend_resume(world); /* rounds of loops over dynamic arrays may move others */
    } while (world->doomed.n || world->copies.n);
    connect_flush(world->connect);
}
