/* schedule_eval.h: the DDP's schedule run in plain steps, for comparing its values with others. */
#ifndef TESTS_SCHEDULE_EVAL_H
#define TESTS_SCHEDULE_EVAL_H

#include "ddp/ddp.h"

typedef enum EvalResult {
    EVAL_DONE,
    EVAL_DISORDER, /* something is read before it is known: a fault of the schedule */
    EVAL_ASTRAY    /* a loop was singular or did not converge from the values given */
} EvalResult;

/* What went wrong, in words; and the step that divided by zero, if that was it. */
typedef struct EvalFault {
    char message[300];
    DdpRel rel;
    DdpVar var;
} EvalFault;

/* value[var], ddp_var_limit() of them: in: knowns, held variables without transmission, the clock,
 * the states, and first guesses for tearing variables; out: all that the schedule determines. */
EvalResult schedule_eval(Mem *mem, const Ddp *ddp, FormTable *forms, double *value,
                         EvalFault *fault);

/* After values that are wrong, or none: names the first step that divides by a difference of nearly equal
 * numbers, if there is one. */
bool schedule_weak_step(Mem *mem, const Ddp *ddp, FormTable *forms, double *value,
                        EvalFault *fault);

/* Order only, no values. */
EvalResult schedule_check(Mem *mem, const Ddp *ddp, FormTable *forms, EvalFault *fault);

#endif
