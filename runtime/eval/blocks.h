/* blocks.h: segments of orders as blocks that have native code or wait for it.
 *
 * A segment (sim_int.h) is a run of explicit nodes of one instance, of bounded size; loops and
 * comparisons stay single nodes. Segments of one shape share code, so an instance of a known kind needs
 * no compilation, and a mode that returns finds its code again (jit/shape.h, jit/jit.h). Until code is
 * there the interpreter runs the same nodes: results have the same bits either way.
 *
 * The code of a segment is asked for when it is first evaluated, or by blocks_prepare, and kept until the
 * segment changes.
 */
#ifndef RUNTIME_EVAL_BLOCKS_H
#define RUNTIME_EVAL_BLOCKS_H

#include "jit/jit.h"
#include "runtime/eval/eval.h"

typedef struct Engine Engine;

/* NULL for SOL_ENGINE_INTERP, or when there is no memory for a code service. Simulations of a model share one, which stays
 * with the model: a second run has its code at once, and no thread is started for it. What `rebuild` makes is its own. */
Engine *engine_open(Sim *sim, SolModel *model); /* its own */
void engine_close(Engine *engine);
void engine_forget(SolModel *model); /* closes what its simulations, all closed, have shared */
/* While the model at `path` is still being read: loads what its code will need, if a run of it needed
 * code before. Ended by jit_ahead_end when the simulation is. NULL: there is nothing to do. */
JitAhead *engine_ahead(const SolOptions *options, const char *path);
/* Now and then while the run goes on: has LLVM loaded sooner if the run is long. */
void engine_foresee(Engine *engine);
/* Warns, once, where there is no native code (any more): the run goes on without it. */
void engine_check(Engine *engine);
Jit *engine_jit(Engine *engine); /* for tests: counts of code, refusals on purpose */
void engine_stats(const Engine *engine, SolStats *stats);
/* Counters of what the last structural change kept and made anew; they start again with it. */
void engine_take_counts(Engine *engine, SolEvent *event);
/* The clock begins to run: unless the user asked for that, code is not waited for any more. NULL is fine. */
void engine_wait_no_more(Engine *engine);
void engine_note_returned(Engine *engine); /* something was put back; NULL is fine */
/* After a structural change, before parts start: --engine=rebuild makes everything anew. */
void engine_restructured(Sim *sim);

/* What a node is evaluated by now. */
typedef struct BlockNote {
    bool held;     /* it does not vary between events */
    JitTier tier;  /* JIT_NONE: the interpreter */
    bool counted;  /* age is known */
    uint64_t age;  /* events since its block was made */
    uint32_t size; /* nodes of the block */
} BlockNote;
BlockNote block_note(const Sim *sim, DdpNode node);

void segment_code_free(Sim *sim, Segment *segment); /* its nodes change */
void order_calls_free(Sim *sim, NodeOrder *order);

/* Asks for code for all segments of the part that have none, and waits if that was wanted. */
void blocks_prepare(Part *part);

/* As the interpreter does it node by node; SOL_NUMERICS when a value that is needed is not finite. */
SolStatus segment_evaluate(Sim *sim, Segment *segment, EvalHow how);
/* The whole dynamics of a part inside a step; 0, or 1 when a slope is not finite or a loop does not
 * converge. Residuals of outer loops go to `residuals` (NULL: outer loops are solved too). What only
 * lies on the way to slopes is not looked at: it will be where the step ends. */
int blocks_evaluate(Part *part, double *residuals);

/* ---- fixed_code.c: what has long been stable, in larger pieces ---- */

typedef int (*FixedSegment)(Part *part, Segment *segment,
                            void *context); /* evaluates one; not 0: it failed */
/* The dynamics of the part by its pieces, by `each` where there is none. False: it has no pieces
 * (yet), nothing was done. */
bool fixed_code_evaluate(Part *part, FixedSegment each, void *context, int *failed);
void fixed_code_drop(Part *part);

/* Before tangents are wanted: code for them, where there is code. */
void blocks_prepare_tangents(Part *part);
/* Tangents of a segment's variables from those of what it reads; residuals of an outer loop have theirs
 * in `results` (NULL: it is solved too). */
void segment_tangent(Sim *sim, const Segment *segment, double *results);

#endif
