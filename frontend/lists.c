/* lists.c: dynamic arrays, and loops over their elements: births and removals -> who is there, in which order.
 *
 * An element lies in a *cell*, an instance without text. Cells are a chain in order of birth; each has the number of its
 * birth in this array, which is its name in paths and results, while its place in the chain is the number that the text
 * counts. A loop over the array has a *round* for each cell, an instance of the same kind with the body of the loop in
 * it. So that owners hold what they own (W3), cells and rounds lie in a *bag*: a tree of nodes with ROW_FAN words, in
 * whatever word is free; whoever walks over parts of instances finds them there.
 *
 * Who comes or goes is told to all that watch the array (depend.c): statements that name elements by numbers, its
 * size, and the loops. A loop makes rounds when the work is done, a round ends with its cell. The aliases by which a round
 * knows its element, neighbours and the round before (ElementRole) are bound anew around the place of a change. */
#include "frontend/world_int.h"

/* ---- bags ---- */

static bool is_kind(const Inst *inst, RowKind kind)
{
    return inst->plan->row && inst->plan->row->kind == kind;
}

static uint32_t capacity(const Inst *node)
{
    uint32_t n = ROW_FAN;
    for (uint32_t level = node->word[ROW_LEVEL]; level > 0; level--)
        n *= ROW_FAN;
    return n;
}

/* The operation whose bag it is has `plan`, that of the nodes, and `other`, that of what lies in them. */
static Inst *bag_node(World *world, const Op *op, Inst *owner, uint32_t word, uint32_t level)
{
    Inst *node = inst_create_later(world, op->plan, owner, word, op, owner, 0, owner->logic);
    if (!node)
        return NULL;
    node->word[ROW_LEVEL] = level;
    node->rests = owner->rests;
    owner->word[word] = node->id;
    return node;
}

/* A tree with room: where it is full, a new root comes above it. */
static Inst *bag_root(World *world, const Op *op, Inst *owner)
{
    uint32_t id = owner->word[op->word];
    Inst *old = id ? world_at(world, id) : NULL;
    if (old && old->word[ROW_COUNT] < capacity(old))
        return old;
    Inst *root = bag_node(world, op, owner, op->word, old ? old->word[ROW_LEVEL] + 1 : 0);
    if (!root || !old)
        return root;
    root->word[0] = old->id;
    root->word[ROW_COUNT] = old->word[ROW_COUNT];
    old->owner = root->id;
    old->owner_word = 0;
    return root;
}

/* A new cell or round in a free place. */
static Inst *bag_add(World *world, const Op *op, Inst *owner, uint32_t number)
{
    Inst *node = bag_root(world, op, owner);
    while (node) {
        uint32_t k = 0, below = node->word[ROW_LEVEL];
        node->word[ROW_COUNT]++;
        while (node->word[k] && (!below || world_at(world, node->word[k])->word[ROW_COUNT] ==
                                               capacity(world_at(world, node->word[k]))))
            k++;
        if (!below) {
            Inst *item = inst_create_later(world, op->other, node, k, op, owner, 0, owner->logic);
            if (!item)
                return NULL;
            node->word[k] = item->id;
            item->word[CHAIN_NUMBER] = number;
            item->birth =
                hash_u64(owner->birth * 0x9e3779b97f4a7c15u + ((uint64_t)op->word << 32 | number));
            return item;
        }
        node = node->word[k] ? world_at(world, node->word[k])
                             : bag_node(world, op, node, k, below - 1);
    }
    return NULL;
}

static void bag_take(World *world, const Inst *item)
{
    Inst *node = world_at(world, item->owner);
    node->word[item->owner_word] = 0;
    for (; is_kind(node, ROW_BAG); node = world_at(world, node->owner))
        node->word[ROW_COUNT]--;
}

/* The array of a cell, or the loop of a round: the instance, and the word of the operation. */
static Target chain_of(const World *world, const Inst *item)
{
    Target t = {.inst = world_at(world, item->owner), .word = item->owner_word};
    while (is_kind(t.inst, ROW_BAG)) {
        t.word = t.inst->owner_word;
        t.inst = world_at(world, t.inst->owner);
    }
    return t;
}

static const Op *op_at(const Target *t)
{
    return &t->inst->plan->ops[t->inst->plan->word_op[t->word]];
}

static Inst *next_of(const World *world, const Inst *item, uint32_t word)
{
    return item && item->word[word] ? world_at(world, item->word[word]) : NULL;
}

/* ---- aliases of rounds ---- */

static Inst *content(const World *world, const Inst *item)
{
    return next_of(world, item, CHAIN_CONTENT);
}

/* What an alias refers to now. inst: the body of a round, or that around a loop. */
static Inst *alias_target(const World *world, Inst *inst, const Member *m, uint32_t last)
{
    if (m->element == ELEMENT_LAST) {
        Inst *body = last ? content(world, world_at(world, last)) : NULL;
        return body ? body : inst;
    }
    const Inst *round = world_at(world, inst->owner);
    if (m->element == ELEMENT_BEFORE) {
        Inst *before = content(world, next_of(world, round, CHAIN_PREV));
        return before ? before : follow_up(world, inst, 1);
    }
    const Inst *cell = next_of(world, round, CHAIN_CELL);
    for (int32_t k = 0; cell && k != m->offset; k += m->offset < 0 ? -1 : 1)
        cell = next_of(world, cell, m->offset < 0 ? CHAIN_PREV : CHAIN_NEXT);
    return content(world, cell);
}

static void bind(World *world, Inst *inst, uint32_t word, const Member *m, uint32_t last)
{
    Inst *target = alias_target(world, inst, m, last);
    if (inst->word[word] != (target ? target->id : 0))
        transfer_set_alias(world, inst, word, target);
}

void list_make_alias(World *world, Inst *inst, const Op *op)
{
    bind(world, inst, op->word, op->member, 0);
}

static void rebind_round(World *world, const Inst *round)
{
    Inst *body = content(world, round);
    for (uint32_t i = 0; body && i < body->plan->n_ops; i++) {
        const Op *op = &body->plan->ops[i];
        if (op->kind == OP_ALIAS && op->member->element && op->member->element != ELEMENT_LAST)
            bind(world, body, op->word, op->member, 0);
    }
}

/* A loop's sum ends with another round. */
static void rebind_last(World *world, const Target *loop)
{
    const Op *op = op_at(loop);
    if (op->member)
        bind(world, loop->inst, loop->inst->plan->family->member_word[op->member->index],
             op->member, loop->inst->word[loop->word + EACH_LAST]);
}

/* The rounds of some cells in one direction know their neighbours anew. */
static void rebind_cells(World *world, const Inst *cell, uint32_t direction)
{
    for (uint32_t k = 0; cell && k < plans_reach(world->plans);
         k++, cell = next_of(world, cell, direction))
        for (const Inst *r = next_of(world, cell, CHAIN_ROUNDS); r;
             r = next_of(world, r, CHAIN_ROUNDS))
            rebind_round(world, r);
}

/* ---- chains ---- */

static void chain_link(World *world, Inst *item, Target chain, uint32_t last)
{
    uint32_t *end = &chain.inst->word[chain.word + last];
    item->word[CHAIN_PREV] = *end;
    if (*end)
        world_at(world, *end)->word[CHAIN_NEXT] = item->id;
    *end = item->id;
}

static void chain_unlink(World *world, Inst *item, Target chain, uint32_t last)
{
    Inst *prev = next_of(world, item, CHAIN_PREV), *next = next_of(world, item, CHAIN_NEXT);
    if (prev)
        prev->word[CHAIN_NEXT] = item->word[CHAIN_NEXT];
    if (next)
        next->word[CHAIN_PREV] = item->word[CHAIN_PREV];
    else
        chain.inst->word[chain.word + last] = item->word[CHAIN_PREV];
}

/* ---- rounds ---- */

static void cell_forget_round(World *world, const Inst *round)
{
    Inst *at = next_of(world, round, CHAIN_CELL);
    while (at && at->word[CHAIN_ROUNDS] != round->id)
        at = next_of(world, at, CHAIN_ROUNDS);
    if (at)
        at->word[CHAIN_ROUNDS] = round->word[CHAIN_ROUNDS];
}

/* Its element goes. It may contain the statement that said so, and is removed at the end of the work; until then it
 * lies under the body around the loop. */
static void round_end(World *world, Inst *round)
{
    Target loop = chain_of(world, round);
    const Inst *next = next_of(world, round, CHAIN_NEXT);
    chain_unlink(world, round, loop, EACH_LAST);
    cell_forget_round(world, round);
    bag_take(world, round);
    round->owner = loop.inst->id;
    round->owner_word = loop.word;
    round->word[CHAIN_CELL] = 0;
    vec_push(world->mem, &world->doomed, round->id);
    if (next)
        rebind_round(world, next);
    rebind_last(world, &loop);
}

static bool round_begin(World *world, Inst *inst, const Op *op, Inst *cell)
{
    Inst *round = bag_add(world, op, inst, cell->word[CHAIN_NUMBER]);
    if (!round)
        return false;
    chain_link(world, round, (Target){inst, op->word, NULL}, EACH_LAST);
    round->word[CHAIN_CELL] = cell->id;
    round->word[CHAIN_ROUNDS] = cell->word[CHAIN_ROUNDS];
    cell->word[CHAIN_ROUNDS] = round->id;
    world_run(world);
    return !world->too_many;
}

/* The cells behind the last one that the loop has a round for get theirs. */
void list_each_update(World *world, Inst *inst, uint32_t index)
{
    const Op *op = &inst->plan->ops[index];
    uint32_t list = inst->word[op->word + EACH_WATCHES];
    follow_unwatch(world, &list);
    follow_watch(world, inst, index, &op->refs.at[0], true, &list);
    inst->word[op->word + EACH_WATCHES] = list;
    inst->word[op->word + EACH_PENDING] = 0;
    Target array = follow(world, inst, &op->refs.at[0]);
    if (inst->rests || !array.inst)
        return; /* made when it wakes */
    VEC(uint32_t) cells = {0};
    const Inst *last = next_of(world, inst, op->word + EACH_LAST);
    uint32_t known = last ? last->word[CHAIN_CELL] : 0;
    for (uint32_t id = array.inst->word[array.word + LIST_LAST]; id && id != known;
         id = world_at(world, id)->word[CHAIN_PREV])
        vec_push(world->mem, &cells, id);
    for (uint32_t i = cells.n; i-- > 0;)
        if (world_at(world, cells.at[i])->owner && /* no round removed it */
            !round_begin(world, inst, op, world_at(world, cells.at[i])))
            break;
    vec_free(world->mem, &cells);
    rebind_last(world, &(Target){inst, op->word, NULL});
}

void list_each_drop(World *world, Inst *inst, const Op *op)
{
    uint32_t list = inst->word[op->word + EACH_WATCHES];
    follow_unwatch(world, &list);
    inst->word[op->word + EACH_WATCHES] = 0;
    if (inst->word[op->word + EACH_PENDING])
        world->pending.at[inst->word[op->word + EACH_PENDING] - 1].inst = 0;
    inst->word[op->word + EACH_PENDING] = 0;
    for (const Inst *r = next_of(world, inst, op->word + EACH_LAST); r;
         r = next_of(world, r, CHAIN_PREV))
        cell_forget_round(world, r);
    inst->word[op->word + EACH_LAST] = 0;
    for (uint32_t i = 0; i < world->doomed.n; i++) { /* rounds that ended already go with it */
        Inst *round = world->doomed.at[i] ? world_at(world, world->doomed.at[i]) : NULL;
        if (!round || round->owner != inst->id || round->owner_word != op->word)
            continue;
        world->doomed.at[i] = 0;
        inst_remove_later(world, round);
    }
    if (inst->word[op->word])
        inst_remove_later(world, world_at(world, inst->word[op->word]));
    inst->word[op->word] = 0;
}

/* ---- arrays ---- */

Target list_append(World *world, Target array)
{
    Inst *owner = array.inst;
    uint32_t *word = &owner->word[array.word];
    Inst *cell = bag_add(world, op_at(&array), owner, word[LIST_BORN] + 1);
    if (!cell)
        return (Target){0};
    word[LIST_BORN]++;
    word[LIST_COUNT]++;
    chain_link(world, cell, array, LIST_LAST);
    if (!word[LIST_FIRST])
        word[LIST_FIRST] = cell->id;
    return (Target){cell, CHAIN_CONTENT, array.member};
}

void list_filled(World *world, const Inst *cell)
{
    Target array = chain_of(world, cell);
    follow_fire(world, array.inst, array.word + LIST_WATCH);
    rebind_cells(world, next_of(world, cell, CHAIN_PREV), CHAIN_PREV);
}

void list_emptied(World *world, Inst *cell)
{
    if (!is_kind(cell, ROW_CHAIN))
        return;
    Target array = chain_of(world, cell);
    const Inst *prev = next_of(world, cell, CHAIN_PREV), *next = next_of(world, cell, CHAIN_NEXT);
    chain_unlink(world, cell, array, LIST_LAST);
    if (array.inst->word[array.word + LIST_FIRST] == cell->id)
        array.inst->word[array.word + LIST_FIRST] = cell->word[CHAIN_NEXT];
    array.inst->word[array.word + LIST_COUNT]--;
    while (cell->word[CHAIN_ROUNDS])
        round_end(world, world_at(world, cell->word[CHAIN_ROUNDS]));
    bag_take(world, cell);
    inst_doom(world, cell);
    follow_fire(world, array.inst, array.word + LIST_WATCH);
    rebind_cells(world, prev, CHAIN_PREV);
    rebind_cells(world, next, CHAIN_NEXT);
}

Target list_slot(const World *world, Target t)
{
    uint32_t id = t.inst && t.member && t.member->element == ELEMENT_OF ? t.inst->word[t.word] : 0;
    const Inst *element = id ? world_at(world, id) : NULL;
    Inst *cell = element && element->owner ? world_at(world, element->owner) : NULL;
    if (!cell || !is_kind(cell, ROW_CHAIN) || element->owner_word != CHAIN_CONTENT)
        return t;
    Target array = chain_of(world, cell);
    return (Target){cell, CHAIN_CONTENT, op_at(&array)->member};
}

Target list_array(const World *world, Target slot)
{
    if (!slot.inst || !is_kind(slot.inst, ROW_CHAIN))
        return slot;
    Target array = chain_of(world, slot.inst);
    array.member = slot.member;
    return array;
}

bool list_is_whole(const Target *t)
{
    return t->inst && t->member && t->member->list && !is_kind(t->inst, ROW_CHAIN);
}

void list_clear(World *world, Target array)
{
    while (array.inst->word[array.word + LIST_FIRST]) {
        Inst *cell = world_at(world, array.inst->word[array.word + LIST_FIRST]);
        Inst *element = content(world, cell);
        cell->word[CHAIN_CONTENT] = 0;
        if (element)
            inst_doom(world, element);
        list_emptied(world, cell);
    }
}

void list_drop(World *world, Inst *inst, const Op *op)
{
    follow_fire(world, inst, op->word + LIST_WATCH);
    for (Inst *cell = next_of(world, inst, op->word + LIST_FIRST); cell;
         cell = next_of(world, cell, CHAIN_NEXT))
        while (cell->word[CHAIN_ROUNDS])
            round_end(world, world_at(world, cell->word[CHAIN_ROUNDS]));
    if (inst->word[op->word])
        inst_remove_later(world, world_at(world, inst->word[op->word]));
    for (uint32_t i = 0; i < LIST_WORDS; i++)
        inst->word[op->word + i] = 0;
}

Target list_element(const World *world, Target array, double number)
{
    const uint32_t *word = &array.inst->word[array.word];
    uint32_t n = word[LIST_COUNT];
    if (!(number >= 1) || number > n)
        return (Target){0};
    bool from_end = number > n / 2;
    Inst *cell = world_at(world, word[from_end ? LIST_LAST : LIST_FIRST]);
    for (uint32_t k = from_end ? n : 1; k != (uint32_t)number; k += from_end ? -1u : 1)
        cell = next_of(world, cell, from_end ? CHAIN_PREV : CHAIN_NEXT);
    return (Target){cell, CHAIN_CONTENT, array.member};
}

bool list_find(const World *world, Target array, int64_t number, Target *out)
{
    const uint32_t *word = &array.inst->word[array.word];
    for (Inst *cell = word[LIST_LAST] ? world_at(world, word[LIST_LAST]) : NULL; cell;
         cell = next_of(world, cell, CHAIN_PREV))
        if (cell->word[CHAIN_NUMBER] == number) {
            *out = (Target){cell, CHAIN_CONTENT, array.member};
            return true;
        }
    return false;
}

Inst *list_next(const World *world, Target array, const Inst *cell)
{
    return cell ? next_of(world, cell, CHAIN_NEXT)
                : next_of(world, array.inst, array.word + LIST_FIRST);
}

/* A new element, born in its place. */
void list_born(World *world, Inst *inst, const Op *op)
{
    Target array = follow(world, inst, &op->refs.at[0]);
    Target slot = array.inst ? list_append(world, array) : array;
    if (!slot.inst)
        return;
    Inst *element = inst_create_later(world, op->plan, slot.inst, CHAIN_CONTENT, op, inst, 0, 0);
    slot.inst->word[CHAIN_CONTENT] = element ? element->id : 0;
    list_filled(world, slot.inst);
}
