/* loop_check.h: how far the relations of a loop are from being satisfied. Private to runtime/.
 *
 * The violation of a relation r over the variables x is |r| / sum |dr/dx_i| max(|x_i|, atol): the
 * smallest relative change of its variables that would satisfy it.
 */
#ifndef RUNTIME_EVAL_LOOP_CHECK_H
#define RUNTIME_EVAL_LOOP_CHECK_H

#include "runtime/eval/eval.h"

typedef struct LoopCheck LoopCheck;

/* Of a torn loop whose steps were just evaluated, with its residuals: the largest violation. Steps
 * give their variables by the relation itself and are satisfied to rounding; what rounding became
 * on the way through them shows in the residuals. Derivatives are kept while NodeLoop.checked is
 * set. All tangents are 0 before and after. */
double loop_check_torn(Sim *sim, EvalNode *node, const double *r);
/* The same loop behind loop_check_torn(), where its factors are those that the derivatives were taken with: are the
 * residuals no more than rounding that has hardly grown, beside its variables, of which `largest` is the
 * largest? Derivatives by factors do not count here: the one of R*i by R is what i was when it was taken. */
bool loop_check_rests(const Sim *sim, const EvalNode *node, const double *r, double largest);
void loop_check_close(Sim *sim, LoopCheck *check); /* NULL is fine */

/* Of one relation of any loop: the sum below the line. `op` has its variables, `code` is left minus
 * right. */
double loop_check_size(Sim *sim, const EvalOp *op, const Code *code);
double loop_check_worth(const Sim *sim,
                        DdpVar var); /* max(|x|, atol), atol in units of its nominal value */

#endif
