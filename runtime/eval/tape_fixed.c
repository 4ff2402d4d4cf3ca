/* tape_fixed.c: units of a tape that have long been stable -> larger pieces with constant places.
 *
 * What fixed_code.c does for segments over Sim.value, over the vector of a tape: single units of the
 * dynamics that follow each other are compiled again as one function, up to PIECE relations, with
 * places and constants written into it (JIT_FIXED). Batches stay as they are: a loop over arrays
 * gains nothing. A piece takes the place of its units when it is optimised. When the tape changes
 * all pieces are dropped, before anything is evaluated, and counting starts again.
 */
#include "runtime/eval/tape_int.h"

enum { PIECE = 60 }; /* relations */

/* The place of what stands at a slot of the piece: its units know it. */
static uint32_t place_of(const Tape *tape, const TapePiece *piece, DdpVar var)
{
    for (uint32_t i = piece->first; i < piece->first + piece->n; i++) {
        const Unit *unit = &tape->units.at[tape->order.at[i]];
        const SegmentPlan *plan = unit->member[0];
        for (uint32_t s = 0; plan && s < plan->n; s++)
            if (plan->shape->role[s] != SLOT_FUNCTION && plan->origin[s] == var)
                return unit->slots[s];
    }
    return NO_PLACE;
}

/* Copies are seen through, as the units see through them; `back`: no longer. */
static void set_origins(Engine *engine, const SegmentPlan *plan, bool back)
{
    const TapeVar *var = engine->tape_var.at;
    uint32_t *origin = engine->origin.at;
    for (uint32_t s = 0; s < plan->n; s++)
        if (plan->shape->role[s] == SLOT_READ)
            origin[plan->var[s]] = back ? plan->var[s] : plan->origin[s];
    for (uint32_t i = 0; i < plan->n_copies; i++)
        origin[plan->copy[2 * i]] = back ? plan->copy[2 * i] : var[plan->copy[2 * i]].origin;
}

static void add_items(Engine *engine, const SegmentPlan *plan)
{
    const Sim *sim = engine->sim;
    for (uint32_t k = 0; k < plan->segment->nodes.n; k++) {
        const EvalOp *op = &sim->nodes.at[plan->segment->nodes.at[k]].ops[0];
        bool copied = false;
        for (uint32_t i = 0; i < plan->n_copies; i++)
            copied |= plan->copy[2 * i] == op->target;
        if (!copied)
            vec_push(sim->mem, &engine->items, ((ShapeItem){op->target, op->value, op->vars}));
    }
}

static void each_plan(Tape *tape, const TapePiece *piece, bool back)
{
    Engine *engine = tape->part->sim->engine;
    for (uint32_t i = piece->first; i < piece->first + piece->n; i++) {
        const SegmentPlan *plan = tape->units.at[tape->order.at[i]].member[0];
        if (!plan) /* it died: a piece need not compute it */
            continue;
        set_origins(engine, plan, back);
        if (!back)
            add_items(engine, plan);
    }
}

static void compile(Tape *tape, TapePiece *piece)
{
    Sim *sim = tape->part->sim;
    Engine *engine = sim->engine;
    engine->items.n = 0;
    each_plan(tape, piece, false);
    ShapeUse use = {0};
    if (engine->items.n)
        use = shape_of(engine->shapes, engine->items.n, engine->items.at, engine->origin.at);
    each_plan(tape, piece, true);
    if (!use.shape)
        return;
    uint32_t n = use.shape->n_slots;
    uint32_t *place = mem_alloc(sim->mem, (n + 1) * sizeof *place);
    bool found = true;
    for (uint32_t s = 0; s < n; s++) {
        place[s] = use.shape->role[s] == SLOT_FUNCTION ? use.slots[s]
                                                       : place_of(tape, piece, use.slots[s]);
        found &= place[s] != NO_PLACE;
    }
    if (found)
        block_code_ask_fixed(engine, &piece->code, use.shape, place, use.constants);
    mem_free(sim->mem, place);
}

static bool is_single(const Tape *tape, uint32_t i)
{
    return tape->units.at[tape->order.at[i]].layout == JIT_SINGLE;
}

static uint32_t relations_of(const Tape *tape, uint32_t i)
{
    const SegmentPlan *plan = tape->units.at[tape->order.at[i]].member[0];
    return plan ? plan->segment->nodes.n : 0;
}

static void make(Tape *tape)
{
    Mem *mem = tape->part->sim->mem;
    for (uint32_t i = 0, n; i < tape->end[SECTION_DYNAMICS]; i += n) {
        uint32_t relations = is_single(tape, i) ? relations_of(tape, i) : PIECE;
        for (n = 1; i + n < tape->end[SECTION_DYNAMICS] && is_single(tape, i + n) &&
                    relations + relations_of(tape, i + n) <= PIECE;
             n++)
            relations += relations_of(tape, i + n);
        TapePiece piece = {.first = i, .n = n};
        if (n > 1)
            compile(tape, &piece);
        if (piece.code.entry[JIT_VALUE])
            vec_push(mem, &tape->pieces, piece);
    }
    if (tape->part->sim->engine->wait)
        jit_wait(tape->part->sim->engine->jit);
}

void tape_fixed_count(Tape *tape)
{
    const Engine *engine = tape->part->sim->engine;
    if (tape->steady > engine->fixed_after || tape->steady++ < engine->fixed_after)
        return;
    if (tape->kept.returned) /* its members have no plans any more */
        tape->kept.again = true;
    else
        make(tape);
}

void tape_fixed_drop(Engine *engine, Tape *tape)
{
    for (uint32_t i = 0; i < tape->pieces.n; i++)
        block_code_close(engine, &tape->pieces.at[i].code);
    vec_free(engine->sim->mem, &tape->pieces);
    tape->steady = 0;
}
