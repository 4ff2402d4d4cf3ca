/* transfer.c: moves, copies and aliases -> who owns and who refers to which instance.
 *
 * Executed where they stand in the plan of the body that is being created. What they change for
 * others is deferred: an instance that loses its owner is doomed and removed when all frames are
 * done (it may contain the very statement that is being executed), and what depends on a path that
 * changed is suspended at once but looked at again only at the end, when all that it names is
 * complete. */
#include "frontend/world_int.h"

/* ---- aliases ---- */

void transfer_set_alias(World *world, Inst *inst, uint32_t word, Inst *target)
{
    if (inst->word[word + 1])
        follow_unlink(world, inst->word[word + 1]);
    inst->word[word] = target ? target->id : 0;
    inst->word[word + 1] = target ? follow_link(world, target, inst->id, word) : 0;
    follow_fire(world, inst, word + 2);
}

void transfer_make_alias(World *world, Inst *inst, const Op *op, const Frame *frame)
{
    if (frame->source) {
        const Inst *source = world_at(world, frame->source);
        vec_push(world->mem, &world->copied_aliases,
                 ((CopiedAlias){.inst = inst->id,
                                .word = op->word,
                                .target = source ? source->word[op->word] : 0,
                                .copy = frame->copy}));
        return;
    }
    if (op->member->element)
        list_make_alias(world, inst, op);
    const PlanArg *arg = inst_argument(frame, op->member);
    if (!op->member->parameter || !arg)
        return;
    Inst *target = follow_inst(world, frame->scope, &arg->target);
    if (target)
        transfer_set_alias(world, inst, op->word, target);
    else
        world_fail(world, arg->value.at, "parameter '%s': there is no instance to refer to",
                   intern_text(program_names(world->program), op->member->name));
}

/* The part of the copy that corresponds to `part` of the original: the same way down. */
static Inst *counterpart(World *world, const Inst *part, CopyRoots roots)
{
    vec_clear(&world->vars_scratch);
    for (const Inst *at = part; at->id != roots.from; at = world_at(world, at->owner)) {
        if (!at->owner)
            return NULL; /* it lies outside */
        vec_push(world->mem, &world->vars_scratch, at->owner_word);
    }
    Inst *at = world_at(world, roots.to);
    for (uint32_t i = world->vars_scratch.n; at && i-- > 0;) {
        uint32_t word = world->vars_scratch.at[i];
        uint32_t next = at->word[word];
        if (next && at->plan->ops[at->plan->word_op[word]].kind == OP_BRANCH)
            next = world->branch.at[next].body;
        at = next ? world_at(world, next) : NULL;
    }
    return at;
}

/* Aliases of copies that point inside point inside the copy. */
void transfer_bind_copies(World *world)
{
    for (uint32_t i = 0; i < world->copied_aliases.n; i++) {
        CopiedAlias a = world->copied_aliases.at[i];
        CopyRoots roots = world->copies.at[a.copy - 1];
        if (!world_alive(world, a.inst) || !world_alive(world, a.target) ||
            !world_alive(world, roots.from) || !world_alive(world, roots.to))
            continue;
        Inst *old = world_at(world, a.target), *inside = counterpart(world, old, roots);
        transfer_set_alias(world, world_at(world, a.inst), a.word, inside ? inside : old);
    }
    vec_clear(&world->copied_aliases);
    vec_clear(&world->copies);
}

/* ---- moves and copies ---- */

static bool is_slot(const Target *t)
{
    return t->inst && (!t->member || t->member->binding == BIND_DYNAMIC);
}

static void slot_changed(World *world, const Target *slot)
{
    if (slot->member)
        follow_fire(world, slot->inst, slot->word + 1);
}

static void slot_empty(World *world, const Target *slot)
{
    uint32_t old = slot->inst->word[slot->word];
    if (!old)
        return;
    slot_changed(world, slot);
    slot->inst->word[slot->word] = 0;
    inst_doom(world, world_at(world, old));
    list_emptied(world, slot->inst);
}

static bool owns(const World *world, const Inst *part, const Inst *whole)
{
    while (part) {
        if (part == whole)
            return true;
        part = part->owner ? world_at(world, part->owner) : NULL;
    }
    return false;
}

void transfer_move(World *world, Inst *inst, const Op *op)
{
    Target to = follow(world, inst, &op->refs.at[0]);
    Target from = list_slot(world, follow(world, inst, &op->refs.at[1]));
    bool appended = list_is_whole(&to);
    if (!is_slot(&to) || !is_slot(&from) || (to.inst == from.inst && to.word == from.word))
        return;
    uint32_t id = from.inst->word[from.word];
    if (!id)
        return; /* nothing there, nothing to move */
    Inst *moved = world_at(world, id);
    if (owns(world, to.inst, moved)) {
        world_fail(world, op->at, "'%s' cannot be moved into a part of itself",
                   world_path_text(world, id));
        return;
    }
    if (appended)
        to = list_append(world, to);
    if (!to.inst)
        return;
    slot_changed(world, &from);
    from.inst->word[from.word] = 0;
    slot_empty(world, &to);
    slot_changed(world, &to);
    to.inst->word[to.word] = id;
    world->paths++;
    moved->owner = to.inst->id;
    moved->owner_word = to.word;
    list_emptied(world, from.inst);
    if (appended)
        list_filled(world, to.inst);
}

void transfer_copy(World *world, Inst *inst, const Op *op)
{
    Target to = follow(world, inst, &op->refs.at[0]);
    Inst *from = follow_inst(world, inst, &op->refs.at[1]);
    bool appended = list_is_whole(&to);
    if (!is_slot(&to) || !from || (!appended && to.inst->word[to.word] == from->id))
        return;
    if (owns(world, to.inst, from)) {
        world_fail(world, op->at, "'%s' cannot be copied into a part of itself",
                   world_path_text(world, from->id));
        return;
    }
    if (appended)
        to = list_append(world, to);
    if (!to.inst)
        return;
    slot_empty(world, &to);
    slot_changed(world, &to);
    Inst *copy = inst_create_later(world, from->plan, to.inst, to.word, op, inst, from->id, 0);
    to.inst->word[to.word] = copy ? copy->id : 0;
    if (!copy)
        return;
    vec_push(world->mem, &world->copies, ((CopyRoots){from->id, copy->id}));
    vec_last(&world->frames).copy = world->copies.n;
    if (appended)
        list_filled(world, to.inst);
}

void transfer_bind(World *world, Inst *inst, const Op *op)
{
    Target alias = follow(world, inst, &op->refs.at[0]);
    if (alias.inst)
        transfer_set_alias(world, alias.inst, alias.word,
                           follow_inst(world, inst, &op->refs.at[1]));
}

void transfer_trash(World *world, Inst *inst, const Op *op)
{
    Target from = list_slot(world, follow(world, inst, &op->refs.at[0]));
    if (list_is_whole(&from))
        list_clear(world, from);
    else if (is_slot(&from))
        slot_empty(world, &from);
}
