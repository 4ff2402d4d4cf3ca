/* start_plan.h: initial conditions and the equations that they hang on -> a DDP of their own -> blocks in order, values of states.
 *
 * Where something is born, states are unknowns. The equations from which conditions are computed, differentiated ones among them, go with
 * the conditions into a second DDP, in which states, their derivatives and all between are determined by whatever equation fits: its
 * schedule is assignments and torn loops. They are solved one after the other, each by itself, so what one of them needs (a point near by, a
 * homotopy) does not disturb the others, and a loop of the model that has no solution where states are guessed is no obstacle.
 *
 * Which start values are equations beside the conditions follows from a matching that grows row by row, in the order of preference. The
 * values of states are checked by who asked for them, with the structure that the model has.
 */
#ifndef RUNTIME_EVENT_START_PLAN_H
#define RUNTIME_EVENT_START_PLAN_H

#include "runtime/event/start_int.h"

/* An assignment, or a residual, over places. */
typedef struct PlanOp {
    uint32_t target;
    const Code *code;
    X value, residual; /* residual: of the equation of an assignment */
    const uint32_t *vars;
    DdpRel rel; /* of the model; 0: a start value, or what is made of a parameter */
} PlanOp;

typedef struct PlanBlock {
    uint32_t from, to; /* StartPlan.ops: assignments; the n residuals lie behind them */
    uint32_t n, tears; /* StartPlan.tears: places; none: assignments alone */
} PlanBlock;

typedef struct StartPlan {
    Sim *sim;
    uint32_t n_vars, n_places; /* variables, from 1; residuals behind them */
    DdpVar *of;                /* [n_vars]: in the model */
    Map place_of;              /* variable of the model -> place */
    VEC(PlanOp) ops;
    VEC(uint32_t) tears;
    VEC(PlanBlock) blocks;
    bool thorough;           /* there are several loops, or the model has some: each by all ways */
    bool all_rows;           /* no start value is left over, no state is left free */
    double *before;          /* [n_vars]: in the model, when it was asked for a solution */
    NodeList loops;          /* of the model, not linear, among the equations */
    double *guess;           /* [n_vars]: the same, or a start value */
    double *value, *tangent; /* [n_places] */
    double *least, *most;    /* [n_vars] */
    Arena arena;
} StartPlan;

/* Of conditions that fall neither short nor are too many, as far as the structure tells. NULL: they do, or something else is in the way. */
StartPlan *start_plan_open(const Starts *s);
void start_plan_close(StartPlan *plan); /* NULL is fine */

/* ---- start_blocks.c ---- */

/* Loops of the model begin where the plan has come to, or where they were before: which of their solutions they find is a matter of
 * guesses. */
void start_plan_guess(const StartPlan *plan, bool back);

/* From the present values of the model, which stay; by Newton's method and KINSOL, or by all ways. False: one of the blocks could not be
 * solved, which --trace i tells. */
bool start_plan_solve(StartPlan *plan, bool all_ways);

#endif
