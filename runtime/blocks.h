/* blocks.h: the dynamics of a part, cut into blocks that have native code or wait for it.
 *
 * A block is a run of explicit nodes of one instance, of bounded size; loops and comparisons stay single
 * nodes. Blocks of one shape share code, so an instance of a known kind needs no compilation, and a mode that
 * returns finds its code again (jit/shape.h, jit/jit.h). Until code is there the interpreter runs the same
 * nodes: results have the same bits either way.
 *
 * A part's blocks are made when it is first evaluated after its nodes changed, and kept while they do not.
 */
#ifndef RUNTIME_BLOCKS_H
#define RUNTIME_BLOCKS_H

#include "jit/jit.h"
#include "runtime/parts.h"

typedef struct Engine Engine;
typedef struct Blocks Blocks;

/* NULL for SOL_ENGINE_INTERP, or when there is no memory for a code service. */
Engine *engine_open(Sim *sim);
void engine_close(Engine *engine);
void engine_stats(const Engine *engine, SolStats *stats);
/* Counters of what the last structural change kept and made anew; they start again with it. */
void engine_take_counts(Engine *engine, SolEvent *event);

void blocks_free(Blocks *blocks); /* NULL is fine */

/* Both as the interpreter does it node by node: residuals of the outer loops go to `residuals` (NULL: outer
 * loops are solved too); 0, or 1 when a value is not finite or a loop does not converge. */
int blocks_evaluate(Part *part, double *residuals);
void blocks_tangent(Part *part, double *loop_results);

#endif
