/* tape_verify.c: a tape -> nothing, or an abort when one of its invariants is broken. Debug builds.
 *
 *   B1  what a unit reads came in (a state, the clock, an input) or was written by a unit before
 *       it, never by itself or a later one: so batches may be done in any order of their members.
 *   B2  a place is written by one member of one unit, and nothing that comes in is.
 *   B3  every slope, and every result that somebody may look at, has a place with a value.
 */
#include "runtime/tape_int.h"

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

/* The place of slot s of member i. */
static uint32_t place_at(const Unit *unit, uint32_t s, uint32_t i)
{
    bool arrays = unit->layout != JIT_TABLES || unit->common[s];
    if (!arrays)
        return unit->slots[(size_t)i * unit->stride + s];
    bool common = unit->layout != JIT_TABLES && unit->common[s];
    return unit->slots[s] + (common ? 0 : i);
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
            must(known[unit->gathers[g].from[i]], "B1: what is gathered has no value yet");
            known[unit->gathers[g].to + i] = 1;
        }
}

static void check_unit(const Unit *unit, uint8_t *known)
{
    const Shape *shape = unit->shape;
    check_gathers(unit, known);
    for (uint32_t k = 0; k < shape->n_ops; k++)
        for (uint32_t i = 0; shape->ops[k].op == SHAPE_LOAD && i < unit->n; i++)
            must(known[place_at(unit, shape->ops[k].a, i)], "B1: what is read has no value yet");
    for (uint32_t s = 0; s < shape->n_slots; s++)
        for (uint32_t i = 0; is_stored(shape, s) && i < unit->n; i++) {
            must(!known[place_at(unit, s, i)], "B2: a place is written twice");
            known[place_at(unit, s, i)] = 1;
        }
}

void tape_verify(const Tape *tape)
{
    Mem *mem = tape->part->sim->mem;
    uint8_t *known = mem_alloc(mem, tape->n_places + 1);
    for (uint32_t i = 0; i < tape->inputs.n; i++)
        known[tape->inputs.at[i].place] = 1;
    for (uint32_t i = 0; i < tape->states.n; i++)
        for (uint32_t k = 0; k < tape->states.at[i].n; k++)
            known[tape->states.at[i].to + k] = 1;
    if (tape->clock != NO_PLACE)
        known[tape->clock] = 1;
    for (uint32_t i = 0; i < tape->units.n; i++)
        check_unit(&tape->units.at[i], known);
    for (uint32_t i = 0; i < tape->slopes.n; i++)
        for (uint32_t k = 0; k < tape->slopes.at[i].n; k++)
            must(known[tape->slopes.at[i].from + k], "B3: a slope has no value");
    for (uint32_t i = 0; i < tape->results.n; i++)
        must(known[tape->results.at[i].place], "B3: a result has no value");
    mem_free(mem, known);
}

#else

void tape_verify(const Tape *tape)
{
    (void)tape;
}

#endif
