/* world_verify.c: a world -> nothing, or an abort with the number of the invariant that is broken.
 * The numbers are those of world_int.h. Linear in the size of the world. */
#include "frontend/world_int.h"

#include <stdio.h>
#include <stdlib.h>

static void check(bool holds, const char *invariant, uint32_t number)
{
    if (holds)
        return;
    fprintf(stderr, "solstice: invariant %s is broken at %u\n", invariant, number);
    abort();
}

static bool makes_var(const Op *op)
{
    switch ((OpKind)op->kind) {
    case OP_VAR:
    case OP_PARAM:
    case OP_AUX:
    case OP_INITIAL:
    case OP_BORN:
    case OP_DELAY:
    case OP_RANDOM:
    case OP_INDEX:
    case OP_SAMPLE:
    case OP_PRE:
    case OP_HANDLE:
    case OP_KNOWN:
    case OP_EXISTS:
        return true;
    default:
        return false;
    }
}

/* W2: from the word to the table and back. */
static void verify_numbers(const World *world, const Inst *inst, uint32_t index)
{
    const Op *op = &inst->plan->ops[index];
    if (op->word == NO_WORD || !inst->word[op->word])
        return;
    uint32_t number = inst->word[op->word];
    if (makes_var(op)) {
        OwnerInfo info = number < world->var.n ? world->var.at[number] : (OwnerInfo){0};
        check(info.tag == OWNER_INST && info.who == inst->id && info.what == op->word, "W2",
              number);
    } else if (op->kind == OP_REL || op->kind == OP_DER) {
        OwnerInfo info = number < world->rel.n ? world->rel.at[number] : (OwnerInfo){0};
        check(info.tag == OWNER_INST && info.who == inst->id && info.what == index, "W2", number);
    }
}

/* W3: from the owner to the part and back. */
static void verify_part(const World *world, const Inst *inst, const Op *op)
{
    uint32_t part = 0;
    if (op->kind == OP_PART || op->kind == OP_DYNAMIC || op->kind == OP_LIST ||
        op->kind == OP_EACH) {
        part = inst->word[op->word];
    } else if (op->kind == OP_BRANCH && inst->word[op->word]) {
        const Branch *b = &world->branch.at[inst->word[op->word]];
        check(b->inst == inst->id, "W3", inst->id);
        part = b->body;
    }
    if (!part)
        return;
    check(world_alive(world, part), "W3", part);
    const Inst *at = world_at(world, part);
    check(at->owner == inst->id && at->owner_word == op->word, "W3", part);
}

/* W6: a relation is there when all its refs lead somewhere, and names what they lead to. */
static void verify_relation(const World *world, Inst *inst, const Op *op)
{
    if (op->kind != OP_REL && op->kind != OP_DER)
        return;
    if (inst->rests || edit_hides(world, inst, op)) {
        check(!inst->word[op->word], "W6", inst->id);
        return;
    }
    DdpRel rel = inst->word[op->word];
    bool all = true;
    for (uint32_t i = 0; i < op->refs.n; i++)
        all &= follow_var(world, inst, &op->refs.at[i]) != 0;
    check(all == (rel != 0), "W6", inst->id);
    if (!rel)
        return;
    DdpRelView view = ddp_rel(world->ddp, rel);
    DdpCombination entered; /* where another equation stands in its place */
    if (ddp_combination(world->ddp, rel, &entered))
        view.n = entered.n, view.vars = entered.vars;
    uint32_t named = op->kind == OP_DER ? 2 : op->refs.n;
    for (uint32_t i = 0; i < named; i++) {
        DdpVar var = follow_var(world, inst, &op->refs.at[i]);
        bool found = false;
        for (uint32_t k = 0; k < view.n; k++)
            found |= view.vars[k] == var;
        check(found && world->var.at[var].tag, "W6", rel);
    }
}

/* W4 */
static void verify_watches(const World *world, const Inst *inst, uint32_t head)
{
    uint32_t before = 0;
    for (uint32_t id = inst->word[head]; id; id = world->watch.at[id].next) {
        const Watch *w = &world->watch.at[id];
        check(w->slot_inst == inst->id && w->slot_word == head && w->prev == before, "W4", id);
        check(world_alive(world, w->inst), "W4", id);
        before = id;
    }
}

static void verify_links(const World *world, const Inst *inst)
{
    for (uint32_t id = inst->links; id; id = world->link.at[id].next) {
        const Link *link = &world->link.at[id];
        check(link->target == inst->id, "W4", id);
        if (link->inst) {
            const Inst *alias = world_at(world, link->inst);
            check(alias->word[link->what] == inst->id && alias->word[link->what + 1] == id, "W4",
                  id);
        }
    }
}

static void verify_inst(const World *world, Inst *inst)
{
    for (uint32_t i = 0; i < inst->plan->n_ops; i++) {
        const Op *op = &inst->plan->ops[i];
        verify_numbers(world, inst, i);
        verify_part(world, inst, op);
        verify_relation(world, inst, op);
        if (op->kind == OP_DYNAMIC || op->kind == OP_LIST)
            verify_watches(world, inst, op->word + 1);
        if (op->kind == OP_ALIAS)
            verify_watches(world, inst, op->word + 2);
    }
    verify_links(world, inst);
}

static void verify_tables(const World *world)
{
    uint32_t vars = 0, rels = 0;
    for (uint32_t v = 0; v < world->var.n; v++)
        vars += world->var.at[v].tag != OWNER_NONE;
    for (uint32_t r = 0; r < world->rel.n; r++)
        rels += world->rel.at[r].tag != OWNER_NONE;
    check(vars == world->n_vars, "W2", vars);
    check(rels == world->n_rels, "W2", rels);
    check(world->doomed.n == 0 && world->pending.n == 0 && world->frames.n == 0, "W5", 0);
}

void world_verify(const World *world)
{
    uint32_t n = 0;
    for (InstId id = world_next_inst(world, 0); id; id = world_next_inst(world, id), n++)
        verify_inst(world, world_at(world, id));
    check(n == world->n_inst, "W3", n);
    verify_tables(world);
    connect_verify(world->connect);
}
