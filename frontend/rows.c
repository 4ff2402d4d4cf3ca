/* rows.c: elements of arrays, rounds of loops -> the nodes that hold them, and back.
 *
 * A row is a tree of instances that have no text: each has ROW_FAN words, with nodes below or, in the lowest level,
 * with what the elements are: variables, instances, bodies of a loop. Nodes are made, removed, copied, put to rest
 * and packed as all instances are; nobody but this file knows how a number leads to a word. The number of elements
 * is fixed when the row is born. An array with several sizes is a row of rows.
 *
 * Invariant of a node (ROW_FIRST, ROW_COUNT, ROW_LEVEL): its words 0 .. hold ROW_COUNT elements, the first of which
 * has the number ROW_FIRST; word k of a node of level L > 0 is a node with the elements k*FAN^L .. of them. */
#include "frontend/world_int.h"

#include <math.h>

static uint32_t span_of(uint32_t level)
{
    uint32_t span = 1;
    while (level-- > 0)
        span *= ROW_FAN;
    return span;
}

static uint32_t level_for(uint32_t n)
{
    uint32_t level = 0;
    while (span_of(level) < (n + ROW_FAN - 1) / ROW_FAN)
        level++;
    return level;
}

bool row_has(const Inst *inst, const Op *op)
{
    if (inst->plan->row->kind != ROW_ARRAY)
        return inst->plan->row->kind == ROW_CHAIN; /* what lies in bags is put there */
    return (uint64_t)op->word * span_of(inst->word[ROW_LEVEL]) < inst->word[ROW_COUNT];
}

/* ---- nodes ---- */

static const char *name_of(World *world, const Row *row)
{
    return row->member ? intern_text(program_names(world->program), row->member->name) : "for";
}

/* Elements of an array with all its sizes; those of its inner rows where one of them is known to be wrong. */
static double all_elements(World *world, Inst *scope, const Row *row, double n)
{
    double first, last;
    for (;;) {
        const Plan *inner = row->leaf->ops[0].plan;
        if (!inner || !inner->row || !row->member || inner->row->member != row->member)
            return n;
        row = inner->row;
        if (!birth_value(world, scope, &row->first, NULL, &first) ||
            !birth_value(world, scope, &row->last, NULL, &last))
            return n;
        n *= last - first + 1;
    }
}

/* The number of elements; false with a message where it cannot be. */
static bool size_fits(World *world, Inst *scope, const Row *row, double first, double last)
{
    double n = last - first + 1, room = world->limits.instances;
    double all = n > 0 ? all_elements(world, scope, row, n) : n;
    if (row->member && n < 0)
        world_fail(world, row->last.at, "the size of '%s' is %.10g", name_of(world, row), n);
    else if (n <= room && n + world->n_inst + world->n_vars > 4 * room)
        world_fail(world, row->last.at, "with '%s' there would be more than %.10g elements in all",
                   name_of(world, row), 4 * room);
    else if (!(n <= room) || !(all <= room) || !(fabs(first) < 0x1p30))
        world_fail(world, row->last.at, "'%s' would have %.10g elements; there may be %.10g",
                   name_of(world, row), all > n ? all : n, room);
    else
        return true;
    world->too_many = true;
    return false;
}

static bool sizes_agree(World *world, Inst *scope, const Row *row, double last)
{
    double other;
    for (uint32_t i = 0; i < row->n_checks; i++) {
        if (!birth_value(world, scope, &row->checks[i], NULL, &other))
            return false;
        if (other == last)
            continue;
        world_fail(world, row->checks[i].at, "an array of %.10g elements meets one of %.10g", other,
                   last);
        world_remark(world, row->last.at, "the other one");
        return false;
    }
    return true;
}

static Plan *row_root(World *world, Inst *inst, const Row *row, uint32_t *words)
{
    double first = 1, last = 0;
    Inst *scope = follow_up(world, inst, 0);
    if (world->too_many || !birth_value(world, scope, &row->first, NULL, &first) ||
        !birth_value(world, scope, &row->last, NULL, &last) ||
        !size_fits(world, scope, row, first, last) || !sizes_agree(world, scope, row, last))
        return NULL;
    uint32_t n = last < first ? 0 : (uint32_t)(last - first + 1);
    words[0] = (uint32_t)(int32_t)first;
    words[1] = n;
    words[2] = level_for(n);
    return words[2] ? row->inner : row->leaf;
}

Plan *row_node(World *world, Inst *inst, const Op *op, uint32_t words[ROW_WORDS - ROW_FAN])
{
    const Row *row = op->plan->row;
    if (inst->plan != row->inner)
        return row_root(world, inst, row, words);
    uint32_t level = inst->word[ROW_LEVEL], span = span_of(level), before = op->word * span;
    uint32_t left = inst->word[ROW_COUNT] - before;
    words[0] = inst->word[ROW_FIRST] + before;
    words[1] = left < span ? left : span;
    words[2] = level - 1;
    return words[2] ? row->inner : row->leaf;
}

/* ---- from numbers to words ---- */

bool row_find(const World *world, Inst *row, int64_t index, Target *out)
{
    int64_t at = index - (int32_t)row->word[ROW_FIRST];
    if (at < 0 || at >= row->word[ROW_COUNT])
        return false;
    while (row->word[ROW_LEVEL]) {
        uint32_t span = span_of(row->word[ROW_LEVEL]), next = row->word[at / span];
        if (!next)
            return false;
        row = world_at(world, next);
        at %= span;
    }
    out->inst = row;
    out->word = (uint32_t)at;
    return true;
}

static void tell_outside(World *world, const Inst *row, const RefStep *step, double index, Place at)
{
    const char *name =
        step->member ? intern_text(program_names(world->program), step->member->name) : "?";
    uint32_t n = row->word[ROW_COUNT];
    if (n)
        world_fail(world, at, "there is no '%s[%.10g]': its numbers go from 1 to %u", name, index,
                   n);
    else
        world_fail(world, at, "there is no '%s[%.10g]': the array is empty", name, index);
}

Target row_element(World *world, Inst *from, Target row, const RefStep *step, Place at)
{
    const Inst *element = world->element; /* a nested value at birth asks for it too */
    double place;
    if (list_is_whole(&row)) {
        if (!birth_value(world, from, &step->index[0], NULL, &place))
            return (Target){0};
        world->element = element;
        return list_element(world, row, place);
    }
    for (uint32_t i = 0; i < step->n_index; i++) {
        uint32_t id = row.inst->word[row.word];
        Inst *node = id ? world_at(world, id) : NULL;
        double index;
        if (!node || !birth_value(world, from, &step->index[i], NULL, &index))
            return (Target){0};
        if (!row_find(world, node, (int64_t)index, &row)) {
            tell_outside(world, node, step, index, at);
            return (Target){0};
        }
    }
    world->element = element;
    row.member = step->member;
    return row;
}

bool row_size(const World *world, Inst *row, uint32_t dim, double *size)
{
    Target first = {0};
    while (dim-- > 0) { /* all rows of a row are equal */
        if (!row_find(world, row, 1, &first) || !first.inst->word[first.word]) {
            *size = 0;
            return true;
        }
        row = world_at(world, first.inst->word[first.word]);
    }
    *size = row->word[ROW_COUNT];
    return true;
}

/* ---- and back ---- */

uint32_t row_indices(const World *world, const Inst *inst, uint32_t word, uint32_t most,
                     int32_t *out)
{
    uint32_t n = 0;
    for (; inst->plan->is_branch && inst->owner && n < most; inst = world_at(world, inst->owner)) {
        if (inst->plan->row && inst->plan->row->kind == ROW_CHAIN)
            out[n++] = (int32_t)inst->word[CHAIN_NUMBER];
        else if (inst->plan->row && inst->plan->row->kind == ROW_ARRAY && !inst->word[ROW_LEVEL])
            out[n++] = (int32_t)(inst->word[ROW_FIRST] + word);
        word = inst->owner_word;
    }
    return n;
}

int32_t row_index(const World *world, const Inst *inst, uint32_t word, uint32_t out)
{
    int32_t index[16] = {0};
    uint32_t n = row_indices(world, inst, word, out + 1 < 16 ? out + 1 : 16, index);
    return out < n ? index[out] : 0;
}

/* The row whose element the model around an array is; NULL: it is none. */
static const Inst *row_around(const World *world, const Inst *inst, uint32_t *word)
{
    while (inst->plan->is_branch && inst->owner)
        inst = world_at(world, inst->owner);
    *word = inst->owner_word;
    inst = inst->owner ? world_at(world, inst->owner) : NULL;
    return inst && inst->plan->row ? inst : NULL;
}

int32_t row_born(const World *world, const Inst *inst, uint32_t word, uint32_t out)
{
    int32_t index[16] = {0};
    while (inst) {
        uint32_t n = row_indices(world, inst, word, 16, index);
        if (out < n)
            return index[out];
        out -= n;
        inst = row_around(world, inst, &word);
    }
    return 0;
}

/* The elements of the row of a node, `out` sizes further out: behind those of an array the ones of the array of models that has it. */
static uint32_t row_total(const World *world, const Inst *node, uint32_t out)
{
    uint32_t word;
    for (;;) {
        const Inst *owner = world_at(world, node->owner);
        while (owner->plan == node->plan->row->inner) {
            node = owner;
            owner = world_at(world, node->owner);
        }
        const Inst *next = owner->plan->row ? owner : row_around(world, owner, &word);
        if (out-- == 0 || !next)
            return node->word[ROW_COUNT];
        node = next;
    }
}

bool row_fits(World *world, Inst *scope, const PlanValue *value, const char *name)
{
    if (!world->element)
        return true;
    for (uint32_t i = 0; i < value->n_sizes; i++)
        if (row_born(world, world->element, world->element_word, i) != 1)
            return true; /* told with the first one */
    for (uint32_t i = 0; i < value->n_sizes; i++) {
        uint32_t n = row_total(world, world->element, value->n_sizes - 1 - i);
        double size;
        if (!birth_value(world, scope, &value->sizes[i], name, &size) || size == n)
            continue;
        world_fail(world, value->at, "'%s' takes an array of %u elements, not of %.10g", name, n,
                   size);
        return false;
    }
    return true;
}
