/* fixed_code.c: segments that have long been stable -> larger pieces of code with constant places.
 *
 * Requires: orders that are settled. A part that is evaluated segment by segment (it has no tape: nothing
 * in it is alike, or it has loops) and whose order has not changed for Engine.fixed_after
 * evaluations has neighbouring segments compiled again as one function, up to PIECE relations, with
 * places and constants written into it (JIT_FIXED). A piece takes the place of its segments when it
 * is optimised; until then, and where it is refused, they go on one by one. When the order changes
 * (NodeOrder.version), all pieces of the part are dropped before anything is evaluated, and counting
 * starts again.
 *
 * Larger pieces gain nothing and take long to make (perf/bench_static.c). Tangents stay by segment. */
#include "runtime/eval/tape_int.h"

enum { PIECE = 60 }; /* relations */

/* Neighbouring segments [first, first + n) of FixedCode.segment. */
typedef struct Piece {
    uint32_t first, n;
    BlockCode code; /* none of one segment, which is as good as it gets */
} Piece;

struct FixedCode {
    uint32_t version;       /* of the order */
    VEC(Segment *) segment; /* all of the order */
    VEC(Piece) pieces;
};

static void open_piece(Sim *sim, struct FixedCode *fixed)
{
    Engine *engine = sim->engine;
    Piece *piece = &vec_last(&fixed->pieces);
    if (piece->n < 2)
        return;
    engine->items.n = 0;
    for (uint32_t i = 0; i < piece->n; i++) {
        const Segment *segment = fixed->segment.at[piece->first + i];
        for (uint32_t k = 0; k < segment->nodes.n; k++) {
            const EvalOp *op = &sim->nodes.at[segment->nodes.at[k]].ops[0];
            vec_push(sim->mem, &engine->items, ((ShapeItem){op->target, op->value, op->vars}));
        }
    }
    ShapeUse use = shape_of(engine->shapes, engine->items.n, engine->items.at, NULL);
    block_code_ask_fixed(engine, &piece->code, use.shape, use.slots, use.constants);
}

static struct FixedCode *make(Part *part)
{
    Sim *sim = part->sim;
    struct FixedCode *fixed = mem_alloc(sim->mem, sizeof *fixed);
    uint32_t relations = 0;
    part->code.fixed = fixed;
    fixed->version = part->orders[0].version;
    EACH_SEGMENT (&part->orders[0], segment)
        vec_push(sim->mem, &fixed->segment, segment);
    for (uint32_t i = 0; i < fixed->segment.n; i++) {
        const Segment *segment = fixed->segment.at[i];
        bool joins = i > 0 && segment->plain && fixed->segment.at[i - 1]->plain &&
                     relations + segment->nodes.n <= PIECE;
        if (joins) {
            vec_last(&fixed->pieces).n++;
            relations += segment->nodes.n;
            continue;
        }
        if (i > 0)
            open_piece(sim, fixed);
        vec_push(sim->mem, &fixed->pieces, ((Piece){.first = i, .n = 1}));
        relations = segment->nodes.n;
    }
    if (fixed->pieces.n)
        open_piece(sim, fixed);
    if (sim->engine->wait)
        jit_wait(sim->engine->jit);
    return fixed;
}

void fixed_code_drop(Part *part)
{
    struct FixedCode *fixed = part->code.fixed;
    Sim *sim = part->sim;
    part->code.fixed = NULL;
    part->code.steady = 0;
    if (!fixed)
        return;
    for (uint32_t i = 0; i < fixed->pieces.n; i++)
        block_code_close(sim->engine, &fixed->pieces.at[i].code);
    vec_free(sim->mem, &fixed->segment);
    vec_free(sim->mem, &fixed->pieces);
    mem_free(sim->mem, fixed);
}

/* Drops what does not fit any longer, makes pieces when it is time; NULL: there are none. */
static struct FixedCode *current(Part *part)
{
    const Engine *engine = part->sim->engine;
    if (part->code.steady_version != part->orders[0].version) {
        fixed_code_drop(part);
        part->code.steady_version = part->orders[0].version;
    }
    if (!engine || engine->rebuild)
        return NULL;
    if (!part->code.fixed && ++part->code.steady >= engine->fixed_after)
        make(part);
    return part->code.fixed;
}

bool fixed_code_evaluate(Part *part, FixedSegment each, void *context, int *failed)
{
    const struct FixedCode *fixed = current(part);
    Sim *sim = part->sim;
    *failed = 0;
    if (!fixed)
        return false;
    for (uint32_t i = 0; i < fixed->pieces.n && !*failed; i++) {
        const Piece *piece = &fixed->pieces.at[i];
        JitCode code = block_code_best(sim->engine, &piece->code);
        if (code.any) {
            code.value(sim->value, NULL, NULL, &sim->engine->env);
            sim->engine->fixed_calls++;
            continue;
        }
        for (uint32_t k = 0; k < piece->n && !*failed; k++)
            *failed = each(part, fixed->segment.at[piece->first + k], context);
    }
    return true;
}
