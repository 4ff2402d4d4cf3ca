/* block_code.c: shape -> native code of one block, its heat. See block_code.h. */
#include "runtime/eval/block_code.h"

#include "runtime/eval/tape_int.h"

void block_code_keep(Engine *engine, BlockCode *block, const ShapeUse *use)
{
    block->constants = use->constants;
    block->pattern = use->id;
    shape_keep(engine->shapes, use->id);
}

void block_code_ask(Engine *engine, BlockCode *block, const JitRequest *wanted)
{
    if (block->asked[wanted->kind])
        return;
    block->asked[wanted->kind] = true;
    block->entry[wanted->kind] = jit_request(engine->jit, wanted);
}

void block_code_ask_single(Engine *engine, BlockCode *block, const Shape *shape, JitKind kind)
{
    if (block->asked[kind] || !shape)
        return;
    JitRequest wanted = {.shape = shape, .kind = kind, .layout = JIT_SINGLE};
    block_code_ask(engine, block, &wanted);
    if (engine->wait)
        jit_wait(engine->jit);
}

void block_code_ask_fixed(Engine *engine, BlockCode *block, const Shape *shape,
                          const uint32_t *slots, const double *constants)
{
    JitRequest wanted = {.shape = shape,
                         .kind = JIT_VALUE,
                         .layout = JIT_FIXED,
                         .slots = slots,
                         .constants = constants};
    block_code_ask(engine, block, &wanted);
    block_code_report(engine, block, engine->fixed_after);
}

void block_code_report(Engine *engine, BlockCode *block, uint64_t uses)
{
    engine_foresee(engine);
    for (int kind = 0; kind < 2; kind++)
        if (block->entry[kind])
            jit_heat(engine->jit, block->entry[kind], block->uses + uses);
    block->uses = 0;
}

void block_code_close(Engine *engine, BlockCode *block)
{
    if (block->uses)
        block_code_report(engine, block, 0);
    for (int kind = 0; kind < 2; kind++)
        if (block->entry[kind])
            jit_release(engine->jit, block->entry[kind]);
    if (block->pattern)
        shape_drop(engine->shapes, block->pattern);
    *block = (BlockCode){0};
}

JitCode block_code_best(const Engine *engine, const BlockCode *block)
{
    bool best = block_code_tier(block) == JIT_OPTIMISED || engine->fixed_quick;
    return best ? block_code(block, JIT_VALUE) : (JitCode){.any = NULL};
}
