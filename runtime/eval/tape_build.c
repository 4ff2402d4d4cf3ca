/* tape_build.c: the orders of a part -> a tape: levels, batches, places. See tape.h.
 *
 * First pass, over segments in the order of the schedule (writers before readers): origins of copies,
 * levels, and groups of blocks that have section, level, shape and constants in common. Second
 * pass, over groups in the order of section and level: places for what they write, then for what
 * they read and has none yet. Last, the lists of what goes in and out.
 *
 * Cost: each slot of each block is looked at twice. Nothing is compiled here, only asked for.
 */
#include "runtime/eval/tape_int.h"

#include "base/map.h"

#include <stdlib.h>
#include <string.h>

enum {
    BATCH_FROM = 8,
    ARRAYS_TIMES = 8,
    AHEAD = 4,
    ROOM = 4, /* one place in so many more, for what will come */
    LINE = 8  /* values in a line of the cache */
};

typedef struct BatchMember {
    SegmentPlan *plan;
    EvalNode *compares; /* SECTION_COMPARES: whose they are */
    DdpVar state;       /* what they are ordered by */
    uint32_t next;      /* of the group, number + 1 */
} BatchMember;

typedef struct Group {
    uint64_t rank;           /* section, level, number: the order in which they are done */
    SegmentPlan *plan;       /* of the first member */
    uint32_t first, last, n; /* members, numbers + 1 */
} Group;

typedef struct Making {
    Sim *sim;
    Engine *engine;
    Tape *tape;
    Part *part;
    VEC(BatchMember) members;
    VEC(Group) groups;
    Map group_of;       /* hash of rank, shape, constants -> number + 1 */
    BatchMember *batch; /* [n]: of the group that gets places */
    SegmentPlan **plan; /* [n]: theirs */
    uint32_t batch_from;
    bool loops; /* there are some: no tape */
} Making;

/* ---- variables ---- */

static void begin_var(Making *m, TapeVar *at, DdpVar origin, uint32_t level)
{
    at->stamp = m->engine->stamp;
    at->origin = origin;
    at->level = level;
    at->read = at->used = false;
    at->place = NO_PLACE;
    at->order = 0;
    at->result = at->set = 0;
}

/* A variable that no block before has written comes from outside. */
static TapeVar *var_of(Making *m, DdpVar var)
{
    TapeVar *at = &m->engine->tape_var.at[var];
    if (at->stamp != m->engine->stamp) {
        begin_var(m, at, var, 0);
        vec_push(m->sim->mem, &m->tape->inputs, ((Input){.var = var}));
    }
    return at;
}

static void write_var(Making *m, DdpVar var, uint32_t level)
{
    begin_var(m, &m->engine->tape_var.at[var], var, level);
}

static TapeVar *origin_of(Making *m, DdpVar var)
{
    return &m->engine->tape_var.at[var_of(m, var)->origin];
}

static void copy_var(Making *m, DdpVar to, DdpVar from)
{
    const TapeVar *origin = origin_of(m, from);
    begin_var(m, &m->engine->tape_var.at[to], origin->origin, origin->level);
}

static uint32_t new_places(Making *m, uint32_t n)
{
    uint32_t first = m->tape->n_places;
    if (n >= 2 * LINE)
        first = (first + LINE - 1) / LINE * LINE;
    m->tape->n_places = first + n;
    return first;
}

static uint32_t place_of(Making *m, DdpVar origin)
{
    TapeVar *at = &m->engine->tape_var.at[origin];
    if (at->place == NO_PLACE)
        at->place = new_places(m, 1);
    return at->place;
}

/* ---- first pass: groups ---- */

static uint64_t rank_of(uint32_t section, uint32_t level, uint32_t number)
{
    return (uint64_t)section << 62 | (uint64_t)level << 32 | number;
}

static bool same_kind(const SegmentPlan *a, const SegmentPlan *b)
{
    return a->shape == b->shape &&
           (a->constants == b->constants ||
            memcmp(a->constants, b->constants, a->shape->n_constants * sizeof *a->constants) == 0);
}

static Group *group_for(Making *m, uint64_t rank, SegmentPlan *plan)
{
    uint64_t key = hash_u64(plan->key ^ hash_u64(rank));
    uint32_t at = map_get(&m->group_of, key);
    if (at && m->groups.at[at - 1].rank >> 32 == rank >> 32 &&
        same_kind(m->groups.at[at - 1].plan, plan))
        return &m->groups.at[at - 1];
    vec_push(m->sim->mem, &m->groups, ((Group){.rank = rank | m->groups.n, .plan = plan}));
    map_put(m->sim->mem, &m->group_of, key, m->groups.n);
    return &vec_last(&m->groups);
}

static void add_member(Making *m, uint32_t section, uint32_t level, SegmentPlan *plan,
                       EvalNode *compares)
{
    Group *group = group_for(m, rank_of(section, level, 0), plan);
    vec_push(m->sim->mem, &m->members, ((BatchMember){.plan = plan, .compares = compares}));
    if (group->n++)
        m->members.at[group->last - 1].next = m->members.n;
    else
        group->first = m->members.n;
    group->last = m->members.n;
}

/* The state whose slope a block computes, or 0. */
static DdpVar slope_order(const Making *m, const SegmentPlan *plan)
{
    const TapeVar *var = m->engine->tape_var.at;
    for (uint32_t s = 0; s < plan->n; s++)
        if (plan->shape->role[s] == SLOT_STORED && !(plan->var[s] & HIDDEN) &&
            var[plan->var[s]].slope_stamp == m->engine->stamp)
            return var[plan->var[s]].slope_of;
    return 0;
}

static void mark_states(Making *m)
{
    for (uint32_t i = m->part->states.n; i-- > 0;) { /* the first one counts */
        TapeVar *slope = &m->engine->tape_var.at[m->part->states.at[i].slope];
        slope->slope_of = m->part->states.at[i].var;
        slope->slope_stamp = m->engine->stamp;
        m->engine->tape_var.at[m->part->states.at[i].var].state_stamp = m->engine->stamp;
    }
}

/* What a block reads is resolved to origins; its level is above all of them. */
static uint32_t level_of(Making *m, SegmentPlan *plan)
{
    uint32_t level = 0;
    DdpVar order = slope_order(m, plan);
    for (uint32_t s = 0; s < plan->n; s++) {
        plan->origin[s] = plan->var[s];
        if (plan->shape->role[s] != SLOT_READ)
            continue;
        TapeVar *at = origin_of(m, plan->var[s]);
        plan->origin[s] = at->origin;
        at->order = order ? order : at->order;
        at->used = true;
        level = at->level > level ? at->level : level;
    }
    return level + 1;
}

static void add_result(Making *m, DdpVar var)
{
    vec_push(m->sim->mem, &m->tape->results.all, ((Input){.var = var}));
    m->engine->tape_var.at[var].result = m->tape->results.all.n;
}

static void add_block(Making *m, uint32_t section, Segment *segment)
{
    SegmentPlan *plan = segment->plan;
    if (plan->shape) {
        uint32_t level = level_of(m, plan);
        for (uint32_t s = 0; s < plan->n; s++)
            if (plan->shape->role[s] == SLOT_STORED) {
                write_var(m, plan->var[s], level);
                add_result(m, plan->var[s]);
            }
        add_member(m, section, level, plan, NULL);
    }
    for (uint32_t i = 0; i < plan->n_copies; i++) {
        copy_var(m, plan->copy[2 * i], plan->copy[2 * i + 1]);
        add_result(m, plan->copy[2 * i]);
    }
    plan->stamp = m->tape->stamp;
    plan->unit = NO_UNIT;
}

/* Segments and plans lie all over the memory: those to come are fetched ahead. */
static void fetch_ahead(const Chunk *chunk, uint32_t at)
{
    if (at + 2 * AHEAD < chunk->n)
        __builtin_prefetch(chunk->segment[at + 2 * AHEAD]);
    if (at + AHEAD >= chunk->n)
        return;
    const char *plan = (const char *)chunk->segment[at + AHEAD]->plan;
    __builtin_prefetch(plan);
    __builtin_prefetch(plan + 64);
    __builtin_prefetch(plan + 128);
}

static void add_node_order(Making *m, uint32_t section)
{
    EACH_SEGMENT (&m->part->orders[section], segment) {
        fetch_ahead(segment->chunk, l_);
        if (!segment->plan)
            m->loops |= m->sim->nodes.at[segment->nodes.at[0]].loop;
        if (m->loops)
            return;
        if (!segment->plan)
            segment->plan = tape_plan_segment(m->sim, segment);
        add_block(m, section, segment);
        if (section == SECTION_DYNAMICS)
            tape_sets_pass(m->tape, segment, NULL, NULL);
    }
}

static void add_compares(Making *m)
{
    Sim *sim = m->sim;
    for (uint32_t i = 0; i < m->part->lists.watched.n; i++) {
        EvalNode *node = &sim->nodes.at[m->part->lists.watched.at[i]];
        if (!node->plan)
            node->plan = tape_plan_compares(sim, node);
        if (node->plan->shape)
            add_member(m, SECTION_COMPARES, level_of(m, node->plan), node->plan, node);
    }
}

static int by_rank(const void *a, const void *b)
{
    uint64_t x = ((const Group *)a)->rank, y = ((const Group *)b)->rank;
    return (x > y) - (x < y);
}

/* ---- second pass: places ---- */

/* Members stand in the order of the states whose slopes they compute, so that slopes move as one
 * array; what such a block reads stands in the same order; and comparisons stand in the order of
 * the states they read. */
static DdpVar order_of(const Making *m, const SegmentPlan *plan)
{
    const TapeVar *var = m->engine->tape_var.at;
    DdpVar slope_of = slope_order(m, plan);
    if (slope_of)
        return slope_of;
    for (uint32_t s = 0; s < plan->n; s++)
        if (plan->shape->role[s] == SLOT_STORED && !(plan->var[s] & HIDDEN) &&
            var[plan->var[s]].order)
            return var[plan->var[s]].order;
    for (uint32_t s = 0; s < plan->n; s++)
        if (plan->shape->role[s] == SLOT_READ &&
            var[plan->origin[s]].state_stamp == m->engine->stamp)
            return plan->origin[s];
    return 0;
}

static int by_state(const void *a, const void *b)
{
    const BatchMember *x = a, *y = b;
    return (x->state > y->state) - (x->state < y->state);
}

/* The members of a group, gathered in Making.batch. */
static void list_members(Making *m, const Group *group)
{
    bool sorted = true;
    uint32_t member = group->first;
    for (uint32_t i = 0; i < group->n; i++, member = m->members.at[member - 1].next) {
        m->batch[i] = m->members.at[member - 1];
        m->batch[i].state = order_of(m, m->batch[i].plan);
        sorted &= i == 0 || m->batch[i - 1].state <= m->batch[i].state;
    }
    if (!sorted)
        qsort(m->batch, group->n, sizeof *m->batch, by_state);
    for (uint32_t i = 0; i < group->n; i++)
        m->plan[i] = m->batch[i].plan;
}

static void write_places(Making *m, const Group *group, uint32_t slot, uint32_t first)
{
    for (uint32_t i = 0; i < group->n; i++)
        m->engine->tape_var.at[m->plan[i]->var[slot]].place = first + i;
}

typedef enum SlotAccess { ACCESS_COMMON, ACCESS_NEW, ACCESS_ARRAY, ACCESS_GATHER } SlotAccess;

/* How members of a group find what they have at a slot. */
static SlotAccess access_of(Making *m, const Group *group, uint32_t slot)
{
    const TapeVar *var = m->engine->tape_var.at;
    DdpVar first = m->plan[0]->origin[slot];
    bool common = true, fresh = true, array = true;
    for (uint32_t i = 0; i < group->n && (common || fresh || array); i++) {
        DdpVar origin = m->plan[i]->origin[slot];
        common &= origin == first;
        fresh &= var[origin].place == NO_PLACE;
        array &= var[first].place != NO_PLACE && var[origin].place == var[first].place + i;
    }
    return common ? ACCESS_COMMON : fresh ? ACCESS_NEW : array ? ACCESS_ARRAY : ACCESS_GATHER;
}

/* Gives all members their places at a slot; false, and none, when a variable stands there for two of them or has a place already. */
static bool claim(Making *m, const Group *group, uint32_t slot)
{
    TapeVar *var = m->engine->tape_var.at;
    uint32_t n = 0, first = new_places(m, group->n);
    while (n < group->n && var[m->plan[n]->origin[slot]].place == NO_PLACE) {
        var[m->plan[n]->origin[slot]].place = first + n;
        n++;
    }
    if (n == group->n)
        return true;
    while (n-- > 0)
        var[m->plan[n]->origin[slot]].place = NO_PLACE;
    m->tape->n_places = first;
    return false;
}

static void add_gather(Making *m, const Group *group, Unit *unit, uint32_t slot)
{
    uint32_t *from = arena_alloc(&m->tape->arena, group->n * sizeof *from);
    for (uint32_t i = 0; i < group->n; i++)
        from[i] = place_of(m, m->plan[i]->origin[slot]);
    unit->slots[slot] = new_places(m, group->n);
    unit->gathers[unit->n_gathers++] = (Gather){unit->slots[slot], from};
}

/* What members read that are neighbours. */
static void lay_field(Making *m, const Group *group, SlotAccess *access)
{
    const SegmentPlan *plan = m->plan[0];
    bool *fresh = mem_alloc(m->sim->mem, plan->n + 1);
    uint32_t before = m->tape->n_places, first = new_places(m, group->n), n;
    for (uint32_t s = 0; s < plan->n; s++)
        fresh[s] = plan->shape->role[s] == SLOT_READ && access[s] == ACCESS_NEW;
    n = tape_field(m->sim, m->plan, group->n, fresh, first);
    m->tape->n_places = n ? first + n : before;
    for (uint32_t s = 0; s < plan->n && n; s++)
        if (fresh[s])
            access[s] = access_of(m, group, s);
    mem_free(m->sim->mem, fresh);
}

/* One row of places: all members of a batch of arrays, or the one member of a single block. States whose slopes the batch computes come first: then
 * they lie as they do in the integrator's vector. */
static void lay_arrays(Making *m, const Group *group, Unit *unit, SlotAccess *access)
{
    const SegmentPlan *plan = m->plan[0];
    Arena *arena = &m->tape->arena;
    unit->slots = arena_alloc(arena, (plan->n + 1) * sizeof *unit->slots);
    unit->common = arena_alloc(arena, plan->n + 1);
    unit->gathers = arena_alloc(arena, (plan->n + 1) * sizeof *unit->gathers);
    if (unit->layout == JIT_ARRAYS)
        lay_field(m, group, access);
    for (int pass = 0; pass < 2; pass++)
        for (uint32_t s = 0; s < plan->n; s++)
            if (plan->shape->role[s] == SLOT_READ && access[s] == ACCESS_NEW &&
                (pass || plan->origin[s] == slope_order(m, plan)))
                access[s] = claim(m, group, s) ? ACCESS_ARRAY : ACCESS_GATHER;
    for (uint32_t s = 0; s < plan->n; s++) {
        if (plan->shape->role[s] == SLOT_FUNCTION)
            unit->slots[s] = plan->var[s];
        if (plan->shape->role[s] != SLOT_READ)
            continue;
        if (access[s] == ACCESS_COMMON || access[s] == ACCESS_ARRAY) {
            unit->slots[s] = place_of(m, plan->origin[s]);
            unit->common[s] = access[s] == ACCESS_COMMON;
        } else {
            add_gather(m, group, unit, s);
        }
    }
}

static void lay_tables(Making *m, const Group *group, Unit *unit)
{
    uint32_t n = m->plan[0]->n;
    uint32_t *row = arena_alloc(&m->tape->arena, ((size_t)group->n * n + 1) * sizeof *row);
    unit->slots = row;
    unit->stride = n;
    unit->common = arena_alloc(&m->tape->arena, n + 1);
    for (uint32_t s = 0; s < n; s++)
        unit->common[s] = m->plan[0]->shape->role[s] == SLOT_STORED;
    for (uint32_t i = 0; i < group->n; i++, row += n) {
        const SegmentPlan *plan = m->plan[i];
        for (uint32_t s = 0; s < n; s++)
            if (plan->shape->role[s] == SLOT_READ)
                row[s] = place_of(m, plan->origin[s]);
            else if (plan->shape->role[s] == SLOT_FUNCTION)
                row[s] = plan->var[s];
    }
}

/* Are what members have at a slot long rows of places, as neighbours in a field are? */
static bool has_rows(Making *m, const Group *group, uint32_t slot)
{
    const TapeVar *var = m->engine->tape_var.at;
    uint32_t rows = 1;
    for (uint32_t i = 1; i < group->n; i++)
        rows += var[m->plan[i]->origin[slot]].place != var[m->plan[i - 1]->origin[slot]].place + 1;
    return rows * STRETCH_FROM <= group->n;
}

/* Arrays if no more than half of what differs between members has to be gathered. Functions may
 * differ between members of one shape; then only tables will do. */
static JitLayout layout_of(Making *m, const Group *group, SlotAccess *access)
{
    const SegmentPlan *plan = m->plan[0];
    uint32_t gathered = 0, differ = 0;
    bool functions = true;
    for (uint32_t s = 0; s < plan->n; s++) {
        if (plan->shape->role[s] == SLOT_FUNCTION)
            for (uint32_t i = 0; i < group->n; i++)
                functions &= m->plan[i]->var[s] == plan->var[s];
        if (plan->shape->role[s] == SLOT_READ)
            access[s] = access_of(m, group, s);
        gathered += plan->shape->role[s] == SLOT_READ && access[s] == ACCESS_GATHER &&
                    !has_rows(m, group, s);
        differ += plan->shape->role[s] == SLOT_STORED ||
                  (plan->shape->role[s] == SLOT_READ && access[s] != ACCESS_COMMON);
    }
    if (group->n == 1)
        return JIT_SINGLE;
    bool large = group->n >= ARRAYS_TIMES * m->batch_from;
    return large && functions && 2 * gathered <= differ ? JIT_ARRAYS : JIT_TABLES;
}

/* Hidden results: truths and differences that a sweep compares. */
static void add_segments(Making *m, const Group *group, const uint32_t *place)
{
    const SegmentPlan *plan = m->plan[0];
    for (uint32_t s = 0; s < plan->n; s++) {
        if (plan->shape->role[s] != SLOT_STORED || (plan->var[s] & 1))
            continue;
        CompareSpan span = {.truth = place[s], .difference = NO_PLACE, .n = group->n};
        for (uint32_t d = 0; d < plan->n; d++)
            if (plan->shape->role[d] == SLOT_STORED && plan->var[d] == (plan->var[s] | 1))
                span.difference = place[d];
        span.at = m->tape->compares.n;
        m->tape->compares.n += group->n;
        vec_push(m->sim->mem, &m->tape->spans, span);
        for (uint32_t i = 0; i < group->n; i++) {
            uint32_t k = (m->plan[i]->var[s] & ~(uint32_t)HIDDEN) / 2;
            m->tape->compares.at[span.at + i] = &m->batch[i].compares->compare[k];
            m->tape->compares.by[span.at + i] = (DdpNode)(m->batch[i].compares - m->sim->nodes.at);
        }
    }
}

static void write_slots(const Group *group, const SegmentPlan *plan, const Unit *unit,
                        const uint32_t *place)
{
    for (uint32_t s = 0; s < plan->n; s++) {
        if (plan->shape->role[s] != SLOT_STORED)
            continue;
        if (unit->layout == JIT_TABLES)
            for (uint32_t i = 0; i < group->n; i++)
                unit->slots[(size_t)i * unit->stride + s] = place[s] + i;
        else
            unit->slots[s] = place[s];
    }
}

/* A batch, or one block of a group that is too small for one. */
static void add_unit(Making *m, const Group *group, bool compares)
{
    const SegmentPlan *plan = m->plan[0];
    Arena *arena = &m->tape->arena;
    uint32_t *place = arena_alloc(arena, (plan->n + 1) * sizeof *place);
    SlotAccess *access = arena_alloc(arena, (plan->n + 1) * sizeof *access);
    Unit unit = {.shape = plan->shape,
                 .code.constants = plan->constants,
                 .section = (uint8_t)(group->rank >> 62),
                 .level = (uint32_t)(group->rank >> 32) & (UINT32_MAX >> 2),
                 .span = m->tape->spans.n,
                 .n = group->n};
    unit.layout = layout_of(m, group, access);
    if (unit.layout == JIT_TABLES)
        lay_tables(m, group, &unit);
    else
        lay_arrays(m, group, &unit, access);
    for (uint32_t s = 0; s < plan->n; s++)
        if (plan->shape->role[s] == SLOT_STORED) {
            place[s] = new_places(m, group->n);
            if (!compares)
                write_places(m, group, s, place[s]);
        }
    write_slots(group, plan, &unit, place);
    tape_stretch(m->tape, &unit);
    if (compares)
        add_segments(m, group, place);
    unit.n_segments = m->tape->spans.n - unit.span;
    unit.member = arena_alloc(arena, group->n * sizeof *unit.member);
    for (uint32_t i = 0; i < group->n; i++) {
        unit.probe |= m->plan[i]->segment && m->plan[i]->segment->probe;
        unit.member[i] = m->plan[i];
        m->plan[i]->stamp = m->tape->stamp;
        m->plan[i]->unit = m->tape->units.n;
        m->plan[i]->at = i;
    }
    vec_push(m->sim->mem, &m->tape->units, unit);
    if (group->n > 1) {
        m->tape->n_batches++;
        m->tape->n_batched += group->n;
    }
}

static void place_group(Making *m, const Group *group)
{
    bool compares = group->rank >> 62 == SECTION_COMPARES;
    list_members(m, group);
    if (group->n >= m->batch_from) {
        add_unit(m, group, compares);
        return;
    }
    Group one = *group;
    one.n = 1;
    for (uint32_t i = 0; i < group->n; i++) {
        if (i) {
            m->batch[0] = m->batch[i];
            m->plan[0] = m->plan[i];
        }
        add_unit(m, &one, compares);
    }
}

/* ---- what goes in and out ---- */

void tape_add_run(Mem *mem, void *list, uint32_t from, uint32_t to)
{
    VEC(Run) *runs = list;
    Run *last = runs->n ? &vec_last(runs) : NULL;
    if (last && from == last->from + last->n && to == last->to + last->n)
        last->n++;
    else
        vec_push(mem, runs, ((Run){from, to, 1}));
}

/* Units of one level in the order in which they came: counted, then put in place. */
void tape_order(Tape *tape)
{
    uint32_t levels = 1;
    for (uint32_t i = 0; i < tape->units.n; i++)
        levels = tape->units.at[i].level >= levels ? tape->units.at[i].level + 1 : levels;
    Mem *mem = tape->part->sim->mem;
    uint32_t *from = mem_alloc(mem, (SECTIONS * levels + 1) * sizeof *from);
    for (uint32_t i = 0; i < tape->units.n; i++)
        from[tape->units.at[i].section * levels + tape->units.at[i].level + 1]++;
    for (uint32_t i = 0; i < SECTIONS * levels; i++)
        from[i + 1] += from[i];
    for (uint32_t section = 0; section < SECTIONS; section++)
        tape->end[section] = from[(section + 1) * levels];
    vec_reserve(mem, &tape->order, tape->units.n);
    tape->order.n = tape->units.n;
    for (uint32_t i = 0; i < tape->units.n; i++)
        tape->order.at[from[tape->units.at[i].section * levels + tape->units.at[i].level]++] = i;
    mem_free(mem, from);
}

/* After the places of dynamics: a slope may be what nothing computes, a state or an input. */
static void connect_slopes(Making *m)
{
    const Part *part = m->part;
    for (uint32_t i = 0; i < part->states.n; i++) {
        DdpVar slope = origin_of(m, part->states.at[i].slope)->origin;
        tape_add_run(m->sim->mem, &m->tape->slopes.all, place_of(m, slope), i);
    }
    m->tape->n_read_places = m->tape->n_places;
}

/* States whose places lie in from..to-1. */
static void connect_states(Making *m, uint32_t from, uint32_t to)
{
    const Part *part = m->part;
    const TapeVar *var = m->engine->tape_var.at;
    for (uint32_t i = 0; i < part->states.n; i++) {
        const TapeVar *at = &var[part->states.at[i].var];
        if (at->stamp == m->engine->stamp && at->place >= from && at->place < to)
            tape_add_run(m->sim->mem, &m->tape->states, i, at->place);
    }
}

static void connect(Making *m)
{
    Tape *tape = m->tape;
    TapeVar *var = m->engine->tape_var.at;
    for (uint32_t i = 0; i < tape->results.all.n; i++)
        tape->results.all.at[i].place = place_of(m, var[tape->results.all.at[i].var].origin);
    connect_states(m, 0, m->tape->n_read_places);
    tape->n_read = tape->states.n;
    connect_states(m, m->tape->n_read_places, NO_PLACE);
    DdpVar clock = m->sim->clock;
    bool clocked = var[clock].stamp == m->engine->stamp && var[clock].place != NO_PLACE;
    tape->clock = clocked ? var[clock].place : NO_PLACE;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < tape->inputs.n; i++) {
        DdpVar input = tape->inputs.at[i].var;
        if (input != clock && var[input].state_stamp != tape->stamp && var[input].place != NO_PLACE)
            tape->inputs.at[kept++] = (Input){input, var[input].place};
    }
    tape->inputs.n = kept;
}

/* ---- room ---- */

/* At the begin of a cache line: vectors that lie across two cost twice as much (1.26 instead of 0.89
 * of the time of C in bench_static). */
static void *grown(Tape *tape, const void *old, size_t n, size_t room, size_t size)
{
    size_t line = LINE * sizeof(double);
    char *more = arena_alloc(&tape->arena, room * size + line);
    more += (line - (uintptr_t)more % line) % line;
    if (n)
        memcpy(more, old, n * size);
    return more;
}

/* At least one place more, and some for what will come. */
void tape_more_places(Tape *tape)
{
    uint32_t n = tape->room_places, room = tape->n_places + tape->n_places / ROOM + 64;
    tape->value = grown(tape, tape->value, n, room, sizeof *tape->value);
    if (tape->tangent)
        tape->tangent = grown(tape, tape->tangent, n, room, sizeof *tape->tangent);
    tape->room_places = room;
}

void tape_make_tangents(Tape *tape)
{
    tape->tangent = grown(tape, NULL, 0, tape->room_places, sizeof *tape->tangent);
}

void tape_more_compares(Tape *tape, uint32_t need)
{
    uint32_t n = tape->compares.room, room = need + need / ROOM + 1;
    tape->compares.at = grown(tape, tape->compares.at, n, room, sizeof *tape->compares.at);
    tape->compares.by = grown(tape, tape->compares.by, n, room, sizeof *tape->compares.by);
    tape->compares.left = grown(tape, tape->compares.left, n, room, sizeof *tape->compares.left);
    tape->compares.low = grown(tape, tape->compares.low, n, room, sizeof *tape->compares.low);
    tape->compares.lower = grown(tape, tape->compares.lower, n, room, sizeof *tape->compares.lower);
    tape->compares.swing = grown(tape, tape->compares.swing, n, room, sizeof *tape->compares.swing);
    tape->compares.room = room;
}

static void lay_out(Making *m)
{
    Tape *tape = m->tape;
    uint32_t most = 1, compares = 0;
    for (uint32_t i = 0; i < m->groups.n; i++)
        most = m->groups.at[i].n > most ? m->groups.at[i].n : most;
    for (uint32_t i = 0; i < m->part->lists.watched.n; i++)
        compares += m->sim->nodes.at[m->part->lists.watched.at[i]].n_compares;
    m->plan = arena_alloc(&tape->arena, most * sizeof *m->plan);
    m->batch = arena_alloc(&tape->arena, most * sizeof *m->batch);
    tape_more_compares(tape, compares);
    for (uint32_t i = 0; i < m->groups.n; i++) {
        if (m->groups.at[i].rank >> 62 != SECTION_DYNAMICS && !m->tape->n_read_places)
            connect_slopes(m);
        place_group(m, &m->groups.at[i]);
        if (m->groups.at[i].rank >> 62 != SECTION_COMPARES)
            tape->n_checked = tape->n_places;
    }
    if (!tape->n_read_places)
        connect_slopes(m);
    connect(m);
    tape_order(tape);
    tape->n_made = tape->n_places;
    tape_direct(tape);
    tape_more_places(tape);
}

/* What a loop is solved to depends on where it begins, so loops want all their evaluations in the
 * same order always: parts with loops are done segment by segment. All others gain, batches or not: a
 * part's own vector is where the caches are (1,000 rectifiers: 7.7 -> 5.4 s). */
static bool worth_it(const Making *m)
{
    return !m->loops;
}

void tape_follow(Tape *tape)
{
    Part *part = tape->part;
    for (int which = 0; which < 2; which++) {
        part->orders[which].tape = tape->worth ? tape : NULL;
        node_order_forget_fresh(&part->orders[which]);
    }
    for (uint32_t i = 0; tape->worth && i < part->states.n; i++)
        vec_push(part->sim->mem, &tape->patched.known, part->states.at[i].var);
}

void tape_need_vars(Engine *engine)
{
    const Sim *sim = engine->sim;
    if (engine->tape_var.n >= sim->n_values)
        return;
    vec_reserve(sim->mem, &engine->tape_var, sim->n_values);
    memset(engine->tape_var.at + engine->tape_var.n, 0,
           (sim->n_values - engine->tape_var.n) * sizeof *engine->tape_var.at);
    engine->tape_var.n = sim->n_values;
}

Tape *tape_build(Part *part)
{
    Sim *sim = part->sim;
    Engine *engine = sim->engine;
    Tape *tape = part->code.tape = mem_alloc(sim->mem, sizeof *tape);
    tape->part = part;
    arena_init(&tape->arena, sim->mem);
    tape->version[0] = part->orders[0].version;
    tape->version[1] = part->orders[1].version;
    tape->version[2] = part->states_version;
    tape_need_vars(engine);
    tape->stamp = ++engine->stamp;
    Making m = {.sim = sim, .engine = engine, .tape = tape, .part = part};
    m.batch_from = sim->opt.batch_from ? sim->opt.batch_from : BATCH_FROM;
    m.batch_from = m.batch_from < 2 ? 2 : m.batch_from;
    mark_states(&m);
    tape_sets_open(tape);
    add_node_order(&m, SECTION_DYNAMICS);
    add_node_order(&m, SECTION_CONDITIONS);
    add_compares(&m);
    if (m.groups.n > 1)
        qsort(m.groups.at, m.groups.n, sizeof *m.groups.at, by_rank);
    tape->worth = worth_it(&m);
    tape->patched.n_members = m.members.n;
    if (tape->worth)
        lay_out(&m);
    tape_follow(tape);
    tape_verify(tape);
    vec_free(sim->mem, &m.members);
    vec_free(sim->mem, &m.groups);
    map_free(sim->mem, &m.group_of);
    return tape;
}
