/* world_find.c: questions about instances and members -> numbers. See world.h. */
#include "frontend/world_int.h"

#include <stdlib.h>
#include <string.h>

bool world_inst(const World *world, InstId id, WorldInst *view)
{
    if (!world_alive(world, id))
        return false;
    const Inst *inst = world_at(world, id);
    *view = (WorldInst){
        .def = inst->plan->def,
        .body = inst->plan->body,
        .is_branch = inst->plan->is_branch,
        .is_loop = inst->plan->row || inst->plan->in_loop,
        .owner = inst->owner,
        .model = follow_model(world, inst),
    };
    return true;
}

InstId world_next_inst(const World *world, InstId after)
{
    for (uint32_t id = after + 1; id < world->inst.n; id++)
        if (world->inst.at[id])
            return id;
    return 0;
}

/* The instance that operation `op` made and `inst` owns, or 0. */
static InstId part_of(const World *world, const Inst *inst, const Op *op)
{
    if (op->kind == OP_PART || op->kind == OP_DYNAMIC || op->kind == OP_LIST || op->kind == OP_EACH)
        return inst->word[op->word];
    if (op->kind == OP_BRANCH && inst->word[op->word])
        return world->branch.at[inst->word[op->word]].body;
    return 0;
}

InstId world_next_part(const World *world, InstId id, InstId after)
{
    if (!world_alive(world, id))
        return 0;
    const Inst *inst = world_at(world, id);
    uint32_t i = 0, edit = 0;
    if (after && inst_is_edit(world_at(world, after))) {
        edit = edit_number(world, after);
        i = inst->plan->n_ops;
    } else if (after) {
        i = inst->plan->word_op[world_at(world, after)->owner_word] + 1;
    }
    for (; i < inst->plan->n_ops; i++) {
        InstId part = part_of(world, inst, &inst->plan->ops[i]);
        if (part)
            return part;
    }
    edit = edit_next(world, inst, edit);
    return edit ? world->edits.at[edit - 1].inst : 0;
}

/* ---- by path ---- */

static bool name_is(const World *world, Sym name, const char *text, size_t n)
{
    const char *s = intern_text(program_names(world->program), name);
    return strlen(s) == n && !memcmp(s, text, n);
}

/* The member of this name in the instance itself. */
static const Member *member_named(const World *world, const Inst *inst, const char *text, size_t n)
{
    const Body *body = inst->plan->body;
    for (uint32_t i = 0; i < body->n_members; i++)
        if (name_is(world, body->members[i]->name, text, n) &&
            !edit_hides(world, inst, &inst->plan->ops[inst->plan->member_op[i]]))
            return body->members[i];
    return NULL;
}

/* .. or in one of the branches that are there now, in order of the text, outer ones first. */
static const Inst *find_member(const World *world, const Inst *inst, const char *text, size_t n,
                               const Member **member)
{
    const Inst *model = inst;
    for (const Inst *at = inst;;) {
        *member = member_named(world, at, text, n);
        if (*member)
            return at;
        InstId next = 0, last = 0;
        for (const Inst *from = at;; from = world_at(world, from->owner)) {
            while ((next = world_next_part(world, from->id, last)) != 0) {
                if (world_at(world, next)->plan->is_branch && !world_at(world, next)->plan->row)
                    break;
                last = next;
            }
            if (next || from == model)
                break;
            last = from->id;
        }
        if (!next)
            return NULL;
        at = world_at(world, next);
    }
}

/* "[2,3]": from the word of a row to that of an element. */
static bool find_element(const World *world, const char *text, Target *t)
{
    for (uint32_t n = 0; *text == '[' || *text == ','; n++) {
        char *end;
        long index = strtol(text + 1, &end, 10);
        if (list_is_whole(t)) {
            if (end == text + 1 || !list_find(world, *t, index, t))
                return false;
            text = end;
            continue;
        }
        Inst *row = t->inst->word[t->word] ? world_at(world, t->inst->word[t->word]) : NULL;
        if (end == text + 1 || !row || !row->plan->row || !row_find(world, row, index, t))
            return false;
        text = end;
    }
    return text[0] == ']' && (text[1] == '.' || !text[1]);
}

static uint32_t find_word(const World *world, InstId from, const char *path, bool basic)
{
    const Inst *inst = from ? world_at(world, from) : NULL;
    while (inst) {
        size_t n = strcspn(path, ".");
        const Member *m;
        size_t name = strcspn(path, ".[");
        const Inst *at = find_member(world, inst, path, name, &m);
        if (!at || !(m->rank || m->list) != (name == n))
            return 0;
        Target t = {(Inst *)at, at->plan->family->member_word[m->index], (Member *)m};
        if (name != n && !find_element(world, path + name, &t))
            return 0;
        uint32_t found = t.inst->word[t.word];
        if (!path[n])
            return type_is_basic(m->type) == basic ? found : 0;
        inst = !type_is_basic(m->type) && found ? world_at(world, found) : NULL;
        path += n + 1;
    }
    return 0;
}

DdpVar world_find(const World *world, const char *path)
{
    return find_word(world, world->top, path, true);
}

InstId world_find_inst(const World *world, const char *path)
{
    return path[0] ? find_word(world, world->top, path, false) : world->top;
}

DdpVar find_var_in(const World *world, InstId inst, const char *path)
{
    return find_word(world, inst, path, true);
}

/* ---- branches and relations ---- */

static BranchId branch_of(const World *world, const Inst *inst)
{
    for (; inst; inst = inst->owner ? world_at(world, inst->owner) : NULL)
        if (inst_is_in_branch(inst))
            return world_at(world, inst->owner)->word[inst->owner_word];
    return 0;
}

BranchId world_rel_branch(const World *world, DdpRel rel)
{
    InstId owner = world_rel_owner(world, rel);
    return owner ? branch_of(world, world_at(world, owner)) : 0;
}

BranchId world_branch_around(const World *world, BranchId branch)
{
    return branch_of(world, world_at(world, world->branch.at[branch].inst));
}

static const Branch *live_branch(const World *world, BranchId id)
{
    bool live = id && id < world->branch.n && world->branch.at[id].inst;
    return live ? &world->branch.at[id] : NULL;
}

static const Op *branch_op(const World *world, const Branch *b)
{
    return &world_at(world, b->inst)->plan->ops[b->op];
}

Place world_branch_place(const World *world, BranchId branch)
{
    const Branch *b = live_branch(world, branch);
    return b ? branch_op(world, b)->at : 0;
}

bool world_branch_choice(const World *world, BranchId branch, WorldChoice *choice, bool *newborn)
{
    const Branch *b = live_branch(world, branch);
    if (!b)
        return false;
    *choice = b->choice;
    *newborn = b->newborn != 0;
    return true;
}

bool world_branch_chose(const World *world, BranchId branch, WorldChoice choice)
{
    const Branch *b = live_branch(world, branch);
    return b && b->choice == choice && !world_at(world, b->inst)->rests;
}

BranchId world_branch_acting(const World *world, BranchId branch)
{
    for (; branch; branch = world_branch_around(world, branch)) {
        const Branch *b = live_branch(world, branch);
        if (b && b->choice == WORLD_THEN && branch_op(world, b)->when)
            break;
    }
    return branch;
}

/* The next part of an instance at or behind operation *op, and its relations on the way. */
static const Inst *rels_of(const World *world, const Inst *inst, uint32_t *op,
                           void (*each)(void *context, DdpRel rel), void *context)
{
    for (; *op < inst->plan->n_ops; ++*op) {
        const Op *at = &inst->plan->ops[*op];
        uint32_t number = at->word == NO_WORD ? 0 : inst->word[at->word];
        if (!number)
            continue;
        if (at->kind == OP_REL || at->kind == OP_DER)
            each(context, number);
        DdpRel rel;
        for (uint32_t i = 0;
             at->kind == OP_CONNECT && (rel = connect_edge_rel(world->connect, number, i)); i++)
            each(context, rel);
        if (at->kind == OP_BRANCH)
            number = world->branch.at[number].body;
        if (number && (at->kind == OP_PART || at->kind == OP_DYNAMIC || at->kind == OP_LIST ||
                       at->kind == OP_EACH || at->kind == OP_BRANCH)) {
            ++*op;
            return world_at(world, number);
        }
    }
    return NULL;
}

/* Down to the parts and up again by owners: no stack. */
void world_branch_rels(const World *world, BranchId branch, void (*each)(void *context, DdpRel rel),
                       void *context)
{
    uint32_t top = world->branch.at[branch].body, op = 0, edit = 0;
    const Inst *inst = top ? world_at(world, top) : NULL;
    while (inst) {
        const Inst *part = rels_of(world, inst, &op, each, context);
        if (!part) {
            edit = edit_next(world, inst, edit);
            part = edit ? world_at(world, world->edits.at[edit - 1].inst) : NULL;
        }
        if (part) {
            edit = 0;
            inst = part;
            op = 0;
        } else if (inst->id == top) {
            return;
        } else {
            const Inst *owner = world_at(world, inst->owner);
            edit = inst_is_edit(inst) ? edit_number(world, inst->id) : 0;
            op = edit ? owner->plan->n_ops : owner->plan->word_op[inst->owner_word] + 1;
            inst = owner;
        }
    }
}
