/* linear_dae.h: E*dz/dt = A*z with constant matrices -> its solution, exact but for rounding in
 * long double.
 *
 * Sources are variables too: a constant is one with the derivative 0, a sine is two that turn. Rows
 * of E that elimination makes zero are constraints on z; differentiated they take the place of
 * these rows, until E is regular. What the constraints leave free moves by a matrix exponential.
 * Nothing here knows circuits, mechanics or the program that is tested.
 */
#ifndef TESTS_SUPPORT_LINEAR_DAE_H
#define TESTS_SUPPORT_LINEAR_DAE_H

#include <stdbool.h>

typedef long double Long;

enum { LD_MOST = 96, LD_FREE = 40, LD_HALVINGS = 44, LD_TERMS = 6 };

typedef struct LinearDae {
    int n;
    Long e[LD_MOST][LD_MOST], a[LD_MOST][LD_MOST];
} LinearDae;

/* What is free, what follows from it, and how it moves. */
typedef struct LinearMotion {
    int n, m;                     /* variables; those that are free */
    int free[LD_FREE];            /* which */
    Long from[LD_MOST][LD_FREE];  /* z = from * x, x the free ones */
    Long slope[LD_FREE][LD_FREE]; /* dx/dt = slope * x */
} LinearMotion;

/* Solved for one step. */
typedef struct LinearFlow {
    LinearMotion motion;
    Long step; /* the longest that linear_flow_move() makes at once */
    Long move[LD_HALVINGS][LD_FREE][LD_FREE]; /* exp(slope*step/2^k) less the unit matrix */
} LinearFlow;

typedef enum LinearVerdict {
    LINEAR_SOLVED,
    LINEAR_UNDETERMINED, /* there is a free variable that nothing moves, or a contradiction */
    LINEAR_DOUBTFUL      /* something is neither zero nor not, or it is too large for this file */
} LinearVerdict;

/* `dae` is overwritten. */
LinearVerdict linear_motion_make(LinearMotion *motion, LinearDae *dae);
LinearVerdict linear_flow_make(LinearFlow *flow, LinearDae *dae, Long step);

/* A sum of variables with factors. */
typedef struct LinearForm {
    int n, var[LD_TERMS];
    Long k[LD_TERMS];
} LinearForm;

/* The values of the free variables at which the forms have their values: those that come first
 * count, as long as they are independent. `conflict`: by how much one that came too late is off, in
 * parts of the largest value. False: they do not determine x. */
bool linear_motion_start(const LinearMotion *motion, int n_wanted, const LinearForm *form,
                         const Long *value, Long *x, Long *conflict);

/* x after step/2^halvings. */
void linear_flow_move(const LinearFlow *flow, int halvings, Long *x);
void linear_motion_slope(const LinearMotion *motion, const Long *x, Long *slope);
Long linear_motion_value(const LinearMotion *motion, int var, const Long *x);
Long linear_motion_form(const LinearMotion *motion, const LinearForm *form, const Long *x);

#endif
