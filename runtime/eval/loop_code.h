/* loop_code.h: steps and residuals of loops as native code. Private to runtime/.
 *
 * A block of a loop is a list of assignments of which some are residuals: their values go to the
 * caller. Code stores them behind the last variable (VALUES_ROOM in sim_int.h) and they are taken
 * from there. As everywhere, code is asked for in the background, and results have the
 * interpreter's bits.
 */
#ifndef RUNTIME_EVAL_LOOP_CODE_H
#define RUNTIME_EVAL_LOOP_CODE_H

#include "jit/jit.h"
#include "runtime/eval/eval.h"

typedef struct LoopBlock LoopBlock;

/* Items in order; target 0: a residual. NULL: there is no engine. */
LoopBlock *loop_block_open(Sim *sim, uint32_t n, const ShapeItem *items);
void loop_block_close(Sim *sim, LoopBlock *block); /* NULL is fine */

/* Values, and the residuals' to `results`; or derivatives in the direction Sim.tangent too, and the
 * residuals' to `results`. False: there is no code (yet), and nothing was done. NULL is fine. */
bool loop_block_value(Sim *sim, LoopBlock *block, double *results);
bool loop_block_tangent(Sim *sim, LoopBlock *block, double *results);

/* Steps and residuals of a torn loop, by code or interpreted. */
void loop_code_values(Sim *sim, EvalNode *node, double *residuals);
void loop_code_tangents(Sim *sim, EvalNode *node, double *residuals);
/* The tier of its values, and the number of events when it was made; false: it has no code. */
bool loop_code_note(const EvalNode *node, JitTier *tier, uint64_t *born);
void loop_code_forget(Sim *sim, EvalNode *node);

#endif
