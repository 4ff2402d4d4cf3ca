/* depend.c: paths through dynamic and alias members -> what exists while they lead somewhere.
 *
 * A group is the operations of one statement (or condition) that names such a path. It is entered
 * when all its paths lead somewhere, with a Watch at every member on the way; when one of these
 * changes, it leaves at once, while what it names still exists, and is tried again at the end of
 * the work. `m?` watches in the same way, but only its value changes. */
#include "frontend/world_int.h"

/* ---- `m?` and groups: what depends on paths ---- */

static uint32_t head_of_list(const Op *op)
{
    return op->word + 1;
}

void depend_exists_update(World *world, Inst *inst, uint32_t index)
{
    const Op *op = &inst->plan->ops[index];
    const Ref *ref = &op->refs.at[0];
    uint32_t list = inst->word[head_of_list(op)];
    follow_unwatch(world, &list);
    follow_watch(world, inst, index, ref, true, &list);
    inst->word[head_of_list(op)] = list;
    inst->word[op->word + 2] = 0;
    Target t = follow(world, inst, ref);
    bool basic = t.member && type_is_basic(t.member->type);
    double there = t.inst && (basic || t.inst->word[t.word]), old;
    if (ref->size)
        there = t.inst ? t.inst->word[t.word + LIST_COUNT] : 0;
    DdpVar var = inst->word[op->word];
    if (!world->host.read(world->host.context, var, &old) || old != there)
        world->host.write(world->host.context, var, there);
}

void depend_group_enter(World *world, Inst *inst, uint32_t index, bool again)
{
    const Op *op = &inst->plan->ops[index];
    uint32_t list = 0;
    bool complete = true;
    if (inst->rests) { /* tried when it wakes */
        inst->word[op->word] = GROUP_OUT;
        return;
    }
    /* Refs to auxiliary variables of the group itself are there once it runs. */
    for (uint32_t i = index + 1; i <= index + op->span; i++)
        for (uint32_t k = 0; k < inst->plan->ops[i].refs.n; k++) {
            const Ref *ref = &inst->plan->ops[i].refs.at[k];
            if (!ref->movable)
                continue;
            follow_watch(world, inst, index, ref, ref->whole, &list);
            complete &= follow_var(world, inst, ref) != 0;
        }
    inst->word[head_of_list(op)] = list;
    inst->word[op->word] = complete ? GROUP_IN : GROUP_OUT;
    Frame frame = {.inst = inst, .again = again};
    for (uint32_t i = 1; complete && i <= op->span; i++)
        inst_op_forwards(world, inst, index + i, &frame);
}

static void group_leave(World *world, Inst *inst, uint32_t index)
{
    const Op *op = &inst->plan->ops[index];
    for (uint32_t i = op->span; inst->word[op->word] == GROUP_IN && i > 0; i--)
        inst_op_backwards(world, inst, index + i);
    inst->word[op->word] = GROUP_OUT;
    uint32_t list = inst->word[head_of_list(op)];
    follow_unwatch(world, &list);
    inst->word[head_of_list(op)] = 0;
}

void depend_suspend(World *world, Inst *inst, uint32_t index)
{
    const Op *op = &inst->plan->ops[index];
    if (op->kind == OP_GROUP) {
        group_leave(world, inst, index);
        inst->word[op->word] = GROUP_PENDING + world->pending.n;
    } else {
        uint32_t list = inst->word[head_of_list(op)];
        follow_unwatch(world, &list);
        inst->word[head_of_list(op)] = 0;
        inst->word[op->word + 2] = world->pending.n + 1;
    }
    vec_push(world->mem, &world->pending, ((Pending){inst->id, index}));
}

void depend_drop_group(World *world, Inst *inst, uint32_t index)
{
    const Op *op = &inst->plan->ops[index];
    uint32_t state = inst->word[op->word];
    if (state >= GROUP_PENDING)
        world->pending.at[state - GROUP_PENDING].inst = 0;
    group_leave(world, inst, index);
}

void depend_drop_exists(World *world, Inst *inst, uint32_t index)
{
    const Op *op = &inst->plan->ops[index];
    uint32_t list = inst->word[head_of_list(op)];
    follow_unwatch(world, &list);
    inst->word[head_of_list(op)] = 0;
    if (inst->word[op->word + 2])
        world->pending.at[inst->word[op->word + 2] - 1].inst = 0;
    inst->word[op->word + 2] = 0;
    if (inst->word[op->word])
        world_leave_var(world, inst->word[op->word]);
    inst->word[op->word] = 0;
}

void depend_resume(World *world)
{
    for (uint32_t i = 0; i < world->pending.n; i++) {
        Pending p = world->pending.at[i];
        if (!p.inst)
            continue;
        Inst *inst = world_at(world, p.inst);
        if (inst->plan->ops[p.op].kind == OP_GROUP)
            depend_group_enter(world, inst, p.op, true);
        else if (inst->plan->ops[p.op].kind == OP_EACH)
            list_each_update(world, inst, p.op);
        else
            depend_exists_update(world, inst, p.op);
    }
    vec_clear(&world->pending);
}
