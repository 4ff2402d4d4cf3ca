/* tape_verify.c: a tape -> nothing, or an abort when one of its invariants is broken. Debug builds.
 *
 *   B1  what a unit reads came in (a state, the clock, an input) or was written by a unit before
 *       it, never by itself or a later one: so batches may be done in any order of their members.
 *   B2  a place is written by one member of one unit, and nothing that comes in is.
 *   B3  every slope, and every result that somebody may look at, has a place with a value.
 *   B4  every segment of the orders and every comparison that is watched has one member, which reads
 *       each variable where that is now.
 *
 * Members that died (tape_patch.c) compute something nobody reads, from whatever they find.
 */
#include "runtime/eval/tape_int.h"

#ifdef SOLSTICE_VERIFY

#include <stdio.h>
#include <stdlib.h>

static void must(bool holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "solstice: broken invariant %s\n", what);
    abort();
}

static bool is_common(const Unit *unit, uint32_t s)
{
    return unit->layout != JIT_TABLES && unit->common[s] && unit->shape->role[s] == SLOT_READ;
}

/* The place of slot s of member i. */
static uint32_t place_at(const Unit *unit, uint32_t s, uint32_t i)
{
    bool arrays = unit->layout != JIT_TABLES || unit->common[s];
    if (!arrays)
        return unit->slots[(size_t)i * unit->stride + s];
    return unit->slots[s] + (is_common(unit, s) ? 0 : i);
}

static bool is_stored(const Shape *shape, uint32_t slot)
{
    for (uint32_t i = 0; i < shape->n_ops; i++)
        if (shape->ops[i].op == SHAPE_STORE && shape->ops[i].a == slot)
            return true;
    return false;
}

static void check_gathers(const Unit *unit, uint8_t *known)
{
    for (uint32_t g = 0; g < unit->n_gathers; g++)
        for (uint32_t i = 0; i < unit->n; i++) {
            must(!unit->member[i] || known[unit->gathers[g].from[i]],
                 "B1: what is gathered has no value yet");
            known[unit->gathers[g].to + i] = 1;
        }
}

static void check_unit(const Unit *unit, uint8_t *known)
{
    const Shape *shape = unit->shape;
    check_gathers(unit, known);
    for (uint32_t k = 0; k < shape->n_ops; k++)
        for (uint32_t i = 0; shape->ops[k].op == SHAPE_LOAD && i < unit->n; i++)
            must(!unit->member[i] || known[place_at(unit, shape->ops[k].a, i)],
                 "B1: what is read has no value yet");
    for (uint32_t s = 0; s < shape->n_slots; s++)
        for (uint32_t i = 0; is_stored(shape, s) && i < unit->n; i++) {
            must(!known[place_at(unit, s, i)], "B2: a place is written twice");
            known[place_at(unit, s, i)] = 1;
        }
}

/* The place of what member i reads at a slot, seen through gathers. */
static uint32_t source_of(const Unit *unit, uint32_t s, uint32_t i)
{
    for (uint32_t g = 0; unit->layout == JIT_ARRAYS && g < unit->n_gathers; g++)
        if (unit->gathers[g].to == unit->slots[s])
            return unit->gathers[g].from[i];
    return place_at(unit, s, i);
}

/* Stretches have all members in their order, and read and write where the batch does. */
static void check_stretches(const Unit *unit)
{
    uint32_t at = 0;
    for (uint32_t k = 0; k < unit->n_stretches; k++) {
        const Stretch *stretch = &unit->stretches[k];
        for (uint32_t i = 0; i < stretch->n; i++, at++)
            for (uint32_t s = 0; s < unit->shape->n_slots && unit->member[at]; s++) {
                uint8_t role = unit->shape->role[s];
                uint32_t place = stretch->slots[s] + (is_common(unit, s) ? 0 : i);
                must((role != SLOT_READ && role != SLOT_STORED) || place == source_of(unit, s, at),
                     "B5: a stretch looks elsewhere than its batch");
            }
    }
    must(!unit->n_stretches || at == unit->n, "B5: stretches lack a member");
}

static void check_member(const Tape *tape, const SegmentPlan *plan)
{
    const TapeVar *var = tape->part->sim->engine->tape_var.at;
    must(plan->stamp == tape->stamp, "B4: a block has no member");
    if (!plan->shape)
        return;
    const Unit *unit = &tape->units.at[plan->unit];
    must(unit->member[plan->at] == plan, "B4: a block has another's member");
    for (uint32_t s = 0; s < plan->n; s++) {
        if (plan->shape->role[s] != SLOT_READ || var[plan->var[s]].stamp != tape->stamp)
            continue; /* another tape has read the same input since */
        const TapeVar *origin = &var[var[plan->var[s]].origin];
        must(origin->stamp != tape->stamp || origin->place == source_of(unit, s, plan->at),
             "B4: a block reads where its variable is not");
    }
}

static void check_members(const Tape *tape)
{
    Part *part = tape->part;
    for (int which = 0; which < 2; which++)
        EACH_SEGMENT (&part->orders[which], segment)
            check_member(tape, segment->plan);
    for (uint32_t i = 0; i < part->lists.watched.n; i++) {
        const EvalNode *node = &part->sim->nodes.at[part->lists.watched.at[i]];
        if (node->plan->shape)
            check_member(tape, node->plan);
    }
}

/* States of some runs: those that only conditions read are not loaded for dynamics. */
static void come_in(const Tape *tape, uint32_t from, uint32_t to, uint8_t *known)
{
    for (uint32_t i = from; i < to; i++)
        for (uint32_t k = 0; k < tape->states.at[i].n; k++)
            known[tape->states.at[i].to + k] = 1;
}

void tape_verify(const Tape *tape)
{
    if (!tape->worth)
        return;
    check_members(tape);
    Mem *mem = tape->part->sim->mem;
    uint8_t *known = mem_alloc(mem, tape->n_places + 1);
    for (uint32_t i = 0; i < tape->inputs.n; i++)
        known[tape->inputs.at[i].place] = 1;
    come_in(tape, 0, tape->n_read, known);
    if (tape->clock != NO_PLACE)
        known[tape->clock] = 1;
    for (uint32_t i = 0; i < tape->order.n; i++) {
        if (i == tape->end[SECTION_DYNAMICS])
            come_in(tape, tape->n_read, tape->states.n, known);
        check_unit(&tape->units.at[tape->order.at[i]], known);
        check_stretches(&tape->units.at[tape->order.at[i]]);
    }
    for (uint32_t i = 0; i < tape->slopes.all.n; i++)
        for (uint32_t k = 0; k < tape->slopes.all.at[i].n; k++)
            must(known[tape->slopes.all.at[i].from + k], "B3: a slope has no value");
    for (uint32_t i = 0; i < tape->results.all.n; i++)
        must(known[tape->results.all.at[i].place], "B3: a result has no value");
    mem_free(mem, known);
}

#else

void tape_verify(const Tape *tape)
{
    (void)tape;
}

#endif
