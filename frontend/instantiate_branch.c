/* instantiate_branch.c: a branch of a plan -> its condition and its place in the world; and back. */
#include "frontend/world_int.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- branches ---- */

static BranchId branch_new(World *world)
{
    BranchId id = world->free_branch;
    if (id) {
        world->free_branch = world->branch.at[id].body;
    } else {
        id = world->branch.n;
        vec_push(world->mem, &world->branch, (Branch){0});
    }
    world->n_branches++;
    return id;
}

/* A `when` that acts is not safe (U1): its content waits for no condition. What is solved together with its condition does
 * not either. */
DdpVar inst_branch_logic(World *world, Inst *inst, const Op *op, WorldChoice choice)
{
    if (world->branch.at[inst->word[op->word]].implicit)
        return inst->logic;
    if (!op->when)
        return follow_var(world, inst, &op->refs.at[0]);
    return choice == WORLD_THEN ? 0 : inst->logic;
}

static void copy_branch(World *world, Inst *inst, const Op *op, BranchId id, const Frame *frame)
{
    const Inst *original = world_at(world, frame->source);
    BranchId old = original ? original->word[op->word] : 0;
    if (!old)
        return;
    Branch from = world->branch.at[old];
    world->branch.at[id].copy_of = old;
    world->branch.at[id].choice = from.choice;
    world->branch.at[id].implicit = from.implicit;
    if (!from.body)
        return;
    Inst *body =
        inst_create_later(world, world_at(world, from.body)->plan, inst, op->word, NULL, inst,
                          from.body, inst_branch_logic(world, inst, op, from.choice));
    world->branch.at[id].body = body ? body->id : 0;
    if (body)
        vec_last(&world->frames).copy = frame->copy;
}

void inst_note_newborn(World *world, BranchId id, bool again)
{
    Branch *b = &world->branch.at[id];
    const Inst *inst = world_at(world, b->inst);
    vec_push(world->mem, &world->newborn, id);
    b->newborn = world->newborn.n;
    world_note(world, (WorldChange){.role = WORLD_BRANCH,
                                    .born = true,
                                    .copied = inst->copied,
                                    .again = again,
                                    .a = id,
                                    .at = inst->plan->ops[b->op].at});
}

void world_make_branch(World *world, Inst *inst, uint32_t index, const Op *op, const Frame *frame)
{
    BranchId id = branch_new(world);
    world->branch.at[id] = (Branch){.inst = inst->id, .op = index};
    inst->word[op->word] = id;
    inst_note_newborn(world, id, false);
    if (frame->source)
        copy_branch(world, inst, op, id, frame);
}

void inst_forget_newborn(World *world, BranchId id)
{
    Branch *b = &world->branch.at[id];
    if (b->newborn)
        world->newborn.at[b->newborn - 1] = 0;
    b->newborn = 0;
}

void world_drop_branch(World *world, Inst *inst, const Op *op)
{
    BranchId id = inst->word[op->word];
    if (!id)
        return;
    Branch b = world->branch.at[id];
    inst_forget_newborn(world, id);
    world_note_role(world, inst, op, WORLD_BRANCH, false, id, 0, 0);
    world->branch.at[id] = (Branch){.body = world->free_branch};
    world->free_branch = id;
    world->n_branches--;
    inst->word[op->word] = 0;
    if (b.resting)
        inst_remove_later(world, world_at(world, b.resting));
    if (b.body)
        inst_remove_later(world, world_at(world, b.body));
}
