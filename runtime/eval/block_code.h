/* block_code.h: the native code of one block: its values, and its tangents once somebody wants them.
 *
 * A block is a list of assignments with a shape. It is the same thing whoever evaluates by it: a segment
 * (blocks.c), steps and residuals of a loop (loop_code.c), a call of a tape (tape.c), or a larger
 * piece of what has long been stable (fixed_code.c, tape_fixed.c). Until code is there, and where it
 * is refused, block_code() has none and the interpreter does the same.
 */
#ifndef RUNTIME_EVAL_BLOCK_CODE_H
#define RUNTIME_EVAL_BLOCK_CODE_H

#include "jit/jit.h"
#include "runtime/eval/blocks.h"

enum { HEAT_EVERY = 256 }; /* evaluations after which the heat of code is reported */

typedef struct BlockCode {
    JitEntry *entry[2]; /* by JitKind; NULL: nobody asked, or it was refused */
    bool asked[2];
    uint32_t uses;           /* evaluations that were not reported yet */
    uint32_t pattern;        /* of the shape that it keeps; 0: somebody else does */
    const double *constants; /* of that shape */
} BlockCode;

/* Shape and constants stay as long as the block. */
void block_code_keep(Engine *engine, BlockCode *block, const ShapeUse *use);
/* Asks for code, the first time. Does not wait. */
void block_code_ask(Engine *engine, BlockCode *block, const JitRequest *wanted);
/* Asks for code of one instance of the shape, the first time, and waits if that was wanted. NULL: there is none. */
void block_code_ask_single(Engine *engine, BlockCode *block, const Shape *shape, JitKind kind);
/* Asks for values with places and constants written in, of a block that is as hot as can be. */
void block_code_ask_fixed(Engine *engine, BlockCode *block, const Shape *shape,
                          const uint32_t *slots, const double *constants);
void block_code_close(Engine *engine, BlockCode *block);
/* So many evaluations and those that were counted: its code is that hot. */
void block_code_report(Engine *engine, BlockCode *block, uint64_t uses);

static inline JitCode block_code(const BlockCode *block, JitKind kind)
{
    return block->entry[kind] ? jit_code(block->entry[kind]) : (JitCode){.any = NULL};
}

/* JIT_NONE: the interpreter evaluates it. */
static inline JitTier block_code_tier(const BlockCode *block)
{
    return block->entry[JIT_VALUE] ? jit_tier(block->entry[JIT_VALUE]) : JIT_NONE;
}

/* Quick code of a larger piece would be slower than optimised code of what it is made of. */
JitCode block_code_best(const Engine *engine, const BlockCode *block);

static inline void block_code_used(Engine *engine, BlockCode *block)
{
    if (++block->uses >= HEAT_EVERY)
        block_code_report(engine, block, 0);
}

#endif
