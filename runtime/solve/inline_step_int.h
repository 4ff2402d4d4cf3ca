/* inline_step_int.h: what inline_step.c, inline_solve.c and inline_response.c share. Private to these. */
#ifndef RUNTIME_SOLVE_INLINE_STEP_INT_H
#define RUNTIME_SOLVE_INLINE_STEP_INT_H

#include "runtime/solve/inline_step.h"
#include "runtime/solve/inline_matrix.h"

#include "runtime/eval/list_code.h"

/* Of a linear block inside an iteration, with constant factors: what it hands on as a linear function of what it reads, so that its equations
 * need not be evaluated in every round. */
typedef struct InlineResponse {
    uint32_t n_in, n_out; /* the first n_read of `out` are read by others, then come its unknowns */
    uint32_t n_read;
    uint32_t *in, *out; /* places */
    double *by;         /* [n_out * n_in] */
    double *by_unknown; /* [n_read * unknowns] */
    double *inverse;    /* of its matrix: [unknowns * unknowns] */
    double *then;       /* [n_in + n_out]: values when it was solved last */
    bool known;         /* `by` and `by_unknown` are those of its factors */
} InlineResponse;

typedef struct StepBlock {
    const InlineBlock *of;
    ListCode *list; /* explicit: assignments; linear: steps and residuals; iterated: residuals */
    uint32_t n;     /* unknowns: tearing variables, stage by stage for each */
    uint32_t *tears, *residuals; /* [n]: places */
    InlineMatrix *matrix;
    double *right; /* [n] */
    bool factored;
    InlineResponse *response; /* NULL: it has none */
    ListCode *needed; /* explicit, inside: what states, slopes and linear blocks need of it */
    double
        leaves; /* linear: the largest part of a correction that its factors left over; 0: not known */
    /* Of an iterated one. */
    bool fresh;            /* the Jacobian is of this step */
    uint32_t fewest, more; /* rounds of the first step with it; of all since then beyond these */
    double rate;           /* of rounds, in the last step that had several with it; 0: not known */
    uint32_t trusted;      /* steps since then */
} StepBlock;

struct InlineStep {
    Sim *sim;
    const InlinePlan *plan;
    uint32_t stages, stride;
    uint32_t weights; /* place of the first weight */
    uint32_t n_blocks, n_places;
    double *value, *tangent; /* [n_places] */
    double *kept;            /* [weights]: values of the last step that was accepted */
    double *before[INLINE_POINTS -
                   1]; /* [n_tears]: tearing variables of those before it, the last one first */
    uint32_t n_tears, n_before;
    uint32_t *root; /* [n_vars]: of a variable that is a copy, what it is a copy of; else itself */
    VEC(uint32_t) clocks; /* variables that are the time */
    StepBlock *blocks;
    Arena arena; /* of the variables of items, and of blocks' arrays */
    double tolerance;
    bool moved; /* values are not those that are kept */
};

/* Of a variable of the plan in a stage. */
static inline uint32_t inline_place(const InlineStep *step, uint32_t var, uint32_t stage)
{
    return step->root[var] + stage * step->stride;
}

/* ---- inline_response.c ---- */

void inline_find_responses(
    InlineStep *step); /* and what is needed at the end; all blocks are open */
/* Its residuals are evaluated: what they leave to be corrected, relative to the largest unknown. */
double inline_response_left(InlineStep *step, const StepBlock *block);
/* That is taken out of the unknowns, and of what others read. */
double inline_response_correct(InlineStep *step, const StepBlock *block);
void inline_response_note(InlineStep *step, const StepBlock *block);
/* Its unknowns and what others read, from what it reads now. */
void inline_response_apply(InlineStep *step, const StepBlock *block);

#endif
