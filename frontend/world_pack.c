/* world_pack.c: all instances and the tables about them <-> a block of bytes. See world.h.
 *
 * Numbers of instances, branches, links and watches stay what they were, and so does the order in
 * which free ones will be used again: results, random streams and everything that happens later
 * name them. Plans are not written; they are compiled again from the text, in the order in which
 * they were needed (plan.c), so that an instance is the number of its plan and its words. Whoever
 * adds a field to World or Inst that lives between two calls adds a line here. */
#include "base/pack.h"
#include "frontend/world_int.h"

static void pack_inst_fields(Pack *p, Inst *inst)
{
    uint32_t depth = inst->depth;
    PACK(p, inst->birth);
    PACK(p, inst->owner);
    PACK(p, inst->owner_word);
    PACK(p, inst->logic);
    PACK(p, inst->links);
    PACK(p, depth);
    inst->depth = depth & (UINT32_MAX >> 1);
    PACK_BIT(p, inst->copied);
    PACK_BIT(p, inst->typed);
    if (inst->plan->n_words)
        pack_bytes(p, inst->word, inst->plan->n_words * sizeof *inst->word);
}

/* Its plan: number + 1, or 0 where there is no instance. */
static void pack_inst(World *world, Pack *p, InstId id)
{
    Inst *inst = world->inst.at[id];
    uint32_t number = inst ? inst->plan->number + 1 : 0;
    PACK(p, number);
    if (!number)
        return;
    if (!p->writing) {
        Plan *plan = plans_by_number(world->plans, number - 1);
        if (!plan) {
            p->bad = true;
            return;
        }
        inst = world->inst.at[id] = inst_memory(world, plan);
        inst->plan = plan;
        inst->id = id;
    }
    pack_inst_fields(p, inst);
}

static void pack_instances(World *world, Pack *p)
{
    PACK_LENGTH(p, &world->inst, sizeof(uint32_t));
    for (InstId id = 1; id < world->inst.n && !p->bad; id++)
        pack_inst(world, p, id);
    PACK_LIST(p, &world->free_inst);
    vec_reserve(world->mem, &world->free_inst, world->inst.n); /* so that freeing never fails */
    PACK(p, world->n_inst);
    PACK(p, world->top);
    pack_map(p, &world->births);
}

enum { PACKED_IMPLICIT = 16 }; /* beside the choice */

static void pack_branches(World *world, Pack *p)
{
    PACK_LENGTH(p, &world->branch, 1);
    for (BranchId id = 1; id < world->branch.n; id++) {
        Branch *b = &world->branch.at[id];
        PACK(p, b->inst);
        PACK(p, b->op);
        PACK(p, b->body);
        PACK(p, b->newborn);
        PACK(p, b->copy_of);
        uint8_t choice = (uint8_t)(b->choice | (b->implicit ? PACKED_IMPLICIT : 0));
        PACK(p, choice);
        b->choice = choice & (PACKED_IMPLICIT - 1);
        b->implicit = choice & PACKED_IMPLICIT;
        world->has_implicit |= b->implicit;
    }
    PACK(p, world->free_branch);
    PACK(p, world->n_branches);
    PACK_LIST(p, &world->newborn);
}

static void pack_owners(World *world, Pack *p)
{
    PACK_LIST(p, &world->var);
    PACK_LIST(p, &world->rel);
    PACK(p, world->n_vars);
    PACK(p, world->n_rels);
}

static void pack_references(World *world, Pack *p)
{
    PACK_LIST(p, &world->link);
    PACK(p, world->free_link);
    PACK_LIST(p, &world->watch);
    PACK(p, world->free_watch);
    PACK(p, world->n_watches);
}

/* Paths and values are told by the options, on both sides. */
static void pack_overrides(World *world, Pack *p)
{
    pack_same(p, world->overrides.n);
    for (uint32_t i = 0; i < world->overrides.n; i++) {
        PACK(p, world->overrides.at[i].var);
        PACK_BIT(p, world->overrides.at[i].used);
    }
}

void world_pack(World *world, Def *top, Pack *p)
{
    plans_pack(world->plans, top, p);
    PACK(p, world->time);
    PACK(p, world->homotopy);
    pack_instances(world, p);
    pack_branches(world, p);
    pack_owners(world, p);
    pack_references(world, p);
    pack_overrides(world, p);
    if (!p->bad)
        edits_pack(world, p);
    if (!p->bad)
        connect_pack(world->connect, p);
    singular_pack(world, p);
}
