/* tape_direct.c: a tape that was just made -> which batches write slopes where the integrator wants them.
 *
 * A result that is the slope of one state after the other, and that no other block reads, need not pass through the tape. It is marked in Unit.common, and
 * the batch writes it to a second vector: to the slopes, or, where somebody looks at values, to the tape as if nothing were. A
 * patch moves states, so a tape that was changed moves all its slopes again. */
#include "runtime/eval/tape_int.h"

static DdpVar slope_at(const Tape *tape, uint32_t state)
{
    const TapeVar *var = tape->part->sim->engine->tape_var.at;
    return var[tape->part->states.at[state].slope].origin;
}

/* Of the first of n states whose slopes are what members write at a slot, one after the other; else states.n. */
static uint32_t state_of(const Tape *tape, const Unit *unit, uint32_t slot)
{
    const TapeVar *var = tape->part->sim->engine->tape_var.at;
    uint32_t end = tape->part->states.n, low = 0, high = end;
    const TapeVar *slope = &var[unit->member[0]->var[slot]];
    if (slope->slope_stamp != tape->stamp)
        return end;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (tape->part->states.at[middle].var < slope->slope_of)
            low = middle + 1;
        else
            high = middle;
    }
    if (unit->n > end - low)
        return end;
    for (uint32_t i = 0; i < unit->n; i++) {
        DdpVar written = unit->member[i]->var[slot];
        if (var[written].used || slope_at(tape, low + i) != written)
            return end;
    }
    return low;
}

static void mark(const Tape *tape, Unit *unit, bool *done)
{
    const Shape *shape = unit->shape;
    for (uint32_t s = 0; s < shape->n_slots && !unit->direct; s++) {
        uint32_t state = tape->part->states.n;
        if (shape->role[s] == SLOT_STORED)
            state = state_of(tape, unit, s);
        if (state == tape->part->states.n)
            continue;
        unit->direct = unit->common[s] = true;
        unit->ahead = (ptrdiff_t)unit->slots[s] - (ptrdiff_t)state;
        for (uint32_t i = 0; i < unit->n; i++)
            done[state + i] = true;
    }
}

/* What two states have as slope cannot go to both. */
static bool is_shared(const Tape *tape, uint32_t state)
{
    const TapeVar *slope = &tape->part->sim->engine->tape_var.at[slope_at(tape, state)];
    return slope->slope_stamp == tape->stamp && slope->slope_of != tape->part->states.at[state].var;
}

void tape_direct(Tape *tape)
{
    Mem *mem = tape->part->sim->mem;
    const TapeVar *var = tape->part->sim->engine->tape_var.at;
    bool *done = mem_alloc(mem, tape->part->states.n + 1), shared = false;
    for (uint32_t i = 0; i < tape->part->states.n && !shared; i++)
        shared = is_shared(tape, i);
    for (uint32_t u = 0; u < tape->units.n && !shared; u++) {
        Unit *unit = &tape->units.at[u];
        if (unit->layout == JIT_ARRAYS && unit->section == SECTION_DYNAMICS)
            mark(tape, unit, done);
        tape->slopes.direct |= unit->direct;
    }
    for (uint32_t i = 0; i < tape->part->states.n && tape->slopes.direct; i++)
        if (!done[i])
            tape_add_run(mem, &tape->slopes.rest, var[slope_at(tape, i)].place, i);
    mem_free(mem, done);
}
