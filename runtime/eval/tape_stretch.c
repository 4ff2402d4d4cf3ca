/* tape_stretch.c: a batch that gathers -> stretches of members whose places follow one another, which need no gathering.
 *
 * Neighbours in a field lie one place apart but for its edges: there a stretch ends and another begins. Each is a call of the batch's code,
 * with slots of its own. A patch that moves what a member reads drops them, and the batch gathers again. */
#include "runtime/eval/tape_int.h"

static bool goes_on(const Unit *unit, uint32_t i)
{
    for (uint32_t g = 0; g < unit->n_gathers; g++)
        if (unit->gathers[g].from[i] != unit->gathers[g].from[i - 1] + 1)
            return false;
    return true;
}

static uint32_t *slots_at(Arena *arena, const Unit *unit, uint32_t first)
{
    uint32_t n = unit->shape->n_slots;
    uint32_t *slots = arena_alloc(arena, (n + 1) * sizeof *slots);
    for (uint32_t s = 0; s < n; s++) {
        uint8_t role = unit->shape->role[s];
        bool moves = role == SLOT_STORED || (role == SLOT_READ && !unit->common[s]);
        slots[s] = unit->slots[s] + (moves ? first : 0);
        for (uint32_t g = 0; g < unit->n_gathers && role == SLOT_READ; g++)
            if (unit->gathers[g].to == unit->slots[s])
                slots[s] = unit->gathers[g].from[first];
    }
    return slots;
}

void tape_stretch(Tape *tape, Unit *unit)
{
    uint32_t n = 1;
    if (unit->layout != JIT_ARRAYS || !unit->n_gathers)
        return;
    for (uint32_t i = 1; i < unit->n; i++)
        n += !goes_on(unit, i);
    if ((uint64_t)n * STRETCH_FROM > (uint64_t)unit->n * unit->n_gathers)
        return;
    unit->stretches = arena_alloc(&tape->arena, n * sizeof *unit->stretches);
    for (uint32_t i = 0; i < unit->n; i++) {
        if (!i || !goes_on(unit, i))
            unit->stretches[unit->n_stretches++] =
                (Stretch){.slots = slots_at(&tape->arena, unit, i)};
        unit->stretches[unit->n_stretches - 1].n++;
    }
}
