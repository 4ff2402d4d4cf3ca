/* loop_whole.h: a loop as one sparse system over its variables. Private to runtime/. */
#ifndef RUNTIME_EVAL_LOOP_WHOLE_H
#define RUNTIME_EVAL_LOOP_WHOLE_H

#include "runtime/eval/eval.h"

typedef struct LoopWhole LoopWhole;

/* Of the node as it is: pattern and codes. The analysis is made with the first factors. Relations and unknowns are those of
 * the node in its order. */
LoopWhole *loop_whole_open(Sim *sim, const EvalNode *node);
void loop_whole_close(Sim *sim, LoopWhole *whole); /* NULL is fine */

/* Code is asked for anew when it is needed next. */
void loop_whole_forget_code(Sim *sim, LoopWhole *whole);

/* The system by which the node is solved: one that was put away, or a new one. Copies, which relations say are equal or
 * opposite to an unknown, are no unknowns, and those relations are left out. */
LoopWhole *loop_whole_return(Sim *sim, const EvalNode *node);
void loop_whole_put_away(Sim *sim, LoopWhole *whole); /* its node goes; NULL is fine */
void loop_whole_forget_away(Sim *sim);                /* all that is away */
void loop_whole_limit(Sim *sim, uint32_t most);       /* for tests: unknowns of what is away */

uint32_t loop_whole_size(const LoopWhole *whole);
const DdpVar *loop_whole_unknowns(const LoopWhole *whole);
const Code *loop_whole_code(const LoopWhole *whole, uint32_t i); /* left - right of relation i */

/* Left minus right side of every relation at the present values of the unknowns; copies get theirs. */
void loop_whole_residuals(Sim *sim, LoopWhole *whole, double *r);

/* Factors of the Jacobian at the present values, all tangents 0; largest entry of each row to
 * `scale`. False when it is singular. */
bool loop_whole_factor(Sim *sim, LoopWhole *whole, double *scale);
void loop_whole_apply(Sim *sim, LoopWhole *whole,
                      double *b); /* b := inverse of the Jacobian times b */

/* The derivatives at the present values, all tangents 0; false where some have no value. Then as
 * rows of `stride` numbers, which were zero. */
bool loop_whole_derivatives(Sim *sim, LoopWhole *whole);
void loop_whole_dense(const LoopWhole *whole, double *rows, size_t stride);

/* The largest violation of a relation (loop_check.h) with residuals r, by the derivatives that the
 * last factors were made of; one up to `enough` may be told as 0. */
double loop_whole_violation(Sim *sim, const LoopWhole *whole, const double *r, double enough);

/* How far each unknown may be off by rounding in the relations, and by what is left of them, with
 * the last factors. */
void loop_whole_rounding(Sim *sim, LoopWhole *whole, double *bound);

/* Tangents of the unknowns from those of what the loop reads, with the last factors. */
void loop_whole_tangent(Sim *sim, LoopWhole *whole);

#endif
