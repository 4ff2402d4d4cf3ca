/* inline_step.h: a plan, once per stage of a method -> the values at the end of a step. */
#ifndef RUNTIME_SOLVE_INLINE_STEP_H
#define RUNTIME_SOLVE_INLINE_STEP_H

#include "runtime/solve/inline_plan.h"

enum { INLINE_STAGES = 3, INLINE_POINTS = 3 };

typedef struct InlineStep InlineStep;

/* The plan stays as long as it. */
InlineStep *inline_step_open(Sim *sim, const InlinePlan *plan, uint32_t stages);
void inline_step_close(InlineStep *step);            /* NULL is fine */
uint32_t inline_step_places(const InlineStep *step); /* how large it is */

/* As if it had just been opened. */
void inline_step_renew(InlineStep *step);
/* From Sim.value: what does not vary, and first guesses for the rest. Nothing is left of steps before. */
void inline_step_begin(InlineStep *step);
/* x of stage i = old(x) + sum over j of weight[i * stages + j] * der(x) of stage j. Factors stay if it is the same. */
void inline_step_weights(InlineStep *step, const double *weight);
void inline_step_clock(InlineStep *step, uint32_t stage, double time);
double *inline_step_old(InlineStep *step, uint32_t state);
double inline_step_state(const InlineStep *step, uint32_t stage, uint32_t state);
double inline_step_slope(const InlineStep *step, uint32_t stage, uint32_t state);
/* The values as they are, and back to these. */
void inline_step_keep(InlineStep *step);
void inline_step_back(InlineStep *step);
/* First guesses of all tearing variables from the values that are kept: by[0] times the last, by[1] times those before it; n up
 * to inline_step_points(). Behind inline_step_back. */
uint32_t inline_step_points(const InlineStep *step);
void inline_step_predict(InlineStep *step, uint32_t n, const double *by);
/* All values of a stage from one of another step with the same plan. */
void inline_step_copy(InlineStep *to, uint32_t to_stage, const InlineStep *from, uint32_t stage);
void inline_step_forget(InlineStep *step); /* its factors */
/* Those that depend on where iterations went; what is left has the same bits whoever looked before. */
void inline_step_forget_iterated(InlineStep *step);
/* First guesses of what is iterated: sum over j of by[i * stages + j] times what stage j has now. */
void inline_step_guess(InlineStep *step, const double *by);

/* All equations, as far as `tolerance` (of what is iterated, relative) or rounding goes. False: no solution was found. */
bool inline_step_solve(InlineStep *step, double tolerance);

#endif
