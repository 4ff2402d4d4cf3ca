/* rest.c: the else branch of a `when` -> the same without its relations while the `when` acts; and
 * back.
 *
 * A pulse leaves things as they were (U5; thesis 5.8.1: s'' is equivalent to s). So the else branch
 * of a `when` that fires is not removed: instances, variables, draws and what the runtime remembers
 * of conditions stay, and only what relates them is withdrawn for the one update. Moves ran when
 * the branch was born and do not run again. A pulse inside that acts at the same time has had its
 * update. An `if` inside chooses anew when it comes back; the branch that it had rests until then,
 * and comes back with its memory if it is chosen again.
 *
 * Requires and maintains the invariants of world_int.h; a group whose path changes meanwhile is
 * tried when it wakes. */
#include "frontend/world_int.h"

void rest_later(World *world, Inst *inst)
{
    if (inst->rests)
        return;
    inst->rests = true;
    Frame frame = {.inst = inst, .op = inst->plan->n_ops, .work = FRAME_REST};
    vec_push(world->mem, &world->frames, frame);
    if (world->edits.n)
        edits_rest_later(world, inst);
}

void wake_later(World *world, Inst *inst)
{
    if (!inst->rests)
        return;
    inst->rests = false;
    if (world->edits.n)
        edits_wake_later(world, inst);
    Frame frame = {.inst = inst, .work = FRAME_WAKE, .woken = true};
    vec_push(world->mem, &world->frames, frame);
}

static void rest_part(World *world, const Inst *inst, const Op *op)
{
    if (inst->word[op->word])
        rest_later(world, world_at(world, inst->word[op->word]));
}

void rest_body(World *world, BranchId id)
{
    Branch *b = &world->branch.at[id];
    b->resting = b->body;
    b->rested = b->choice;
    b->body = 0;
    b->choice = WORLD_NONE;
    if (b->resting)
        rest_later(world, world_at(world, b->resting));
}

/* A `when` inside that acted is over; its else branch rests already. */
static void rest_branch(World *world, BranchId id)
{
    Branch *b = &world->branch.at[id];
    const Op *op = &world_at(world, b->inst)->plan->ops[b->op];
    uint32_t body = b->body;
    if (!op->when || b->choice != WORLD_THEN) {
        if (b->choice != WORLD_NONE)
            rest_body(world, id);
        return;
    }
    b->body = 0;
    b->choice = WORLD_NONE;
    if (body)
        inst_remove_later(world, world_at(world, body));
}

static void rest_group(World *world, Inst *inst, uint32_t index)
{
    const Op *group = &inst->plan->ops[index];
    for (uint32_t i = group->span; inst->word[group->word] == GROUP_IN && i > 0; i--)
        rest_op(world, inst, index + i);
}

void rest_op(World *world, Inst *inst, uint32_t index)
{
    const Op *op = &inst->plan->ops[index];
    switch ((OpKind)op->kind) {
    case OP_REL:
    case OP_DER:
        inst_leave_rel(world, inst, op);
        break;
    case OP_TEAR:
        inst_hint(world, inst, op, -1);
        break;
    case OP_CONNECT:
        inst_disconnect(world, inst, op);
        break;
    case OP_PART:
    case OP_DYNAMIC:
    case OP_LIST:
    case OP_EACH:
        rest_part(world, inst, op);
        break;
    case OP_BRANCH:
        if (inst->word[op->word])
            rest_branch(world, inst->word[op->word]);
        break;
    case OP_GROUP:
        rest_group(world, inst, index);
        break;
    default: /* it stays */
        break;
    }
}

/* A `when` has its else branch again; an `if` chooses anew, and what it chose before is there as it
 * was. */
static void wake_branch(World *world, BranchId id)
{
    const Branch *b = &world->branch.at[id];
    const Op *op = &world_at(world, b->inst)->plan->ops[b->op];
    if (b->newborn)
        return;
    if (op->when)
        world_enter_branch(world, id, WORLD_ELSE);
    else
        inst_note_newborn(world, id, true);
}

static void wake_group(World *world, Inst *inst, uint32_t index, const Frame *frame)
{
    const Op *group = &inst->plan->ops[index];
    if (inst->word[group->word] != GROUP_IN) {
        depend_drop_group(world, inst, index);
        depend_group_enter(world, inst, index, true);
        return;
    }
    for (uint32_t i = 1; i <= group->span; i++)
        wake_op(world, inst, index + i, frame);
}

void wake_op(World *world, Inst *inst, uint32_t index, const Frame *frame)
{
    const Op *op = &inst->plan->ops[index];
    switch ((OpKind)op->kind) {
    case OP_REL:
    case OP_DER:
        inst_enter_rel(world, inst, index, frame);
        break;
    case OP_TEAR:
        inst_hint(world, inst, op, 1);
        break;
    case OP_CONNECT:
        inst_connect(world, inst, index);
        break;
    case OP_PART:
    case OP_DYNAMIC:
        if (inst->word[op->word])
            wake_later(world, world_at(world, inst->word[op->word]));
        break;
    case OP_LIST:
    case OP_EACH:
        if (inst->word[op->word])
            wake_later(world, world_at(world, inst->word[op->word]));
        if (op->kind == OP_EACH && !inst->word[op->word + EACH_PENDING])
            depend_suspend(world, inst, index); /* for who came meanwhile */
        break;
    case OP_BRANCH:
        if (inst->word[op->word])
            wake_branch(world, inst->word[op->word]);
        break;
    case OP_GROUP:
        wake_group(world, inst, index, frame);
        break;
    default: /* it stayed */
        break;
    }
}
