/* jacobian.h: the Jacobian of a part's residual for IDA, and the linear solvers that use it. */
#ifndef RUNTIME_SOLVE_JACOBIAN_H
#define RUNTIME_SOLVE_JACOBIAN_H

#include "runtime/solve/solve.h"

#include <sundials/sundials_linearsolver.h>
#include <sundials/sundials_matrix.h>

typedef struct Jacobian Jacobian;

/* How systems with it are solved. Krylov: GMRES, which multiplies by it without having it; the
 * matrix is needed only from time to time, for the preconditioner. */
typedef enum JacobianKind { JACOBIAN_DENSE, JACOBIAN_KLU, JACOBIAN_KRYLOV } JacobianKind;

/* Of the part as it is: pattern, colours and, for the sparse solver, its analysis are made here. */
Jacobian *jacobian_open(Part *part);
Jacobian *jacobian_open_direct(Part *part); /* systems are solved exactly, whatever they fill */
void jacobian_renew(Jacobian *jacobian);    /* the same of the part as it is now */
JacobianKind jacobian_kind(const Jacobian *jacobian);
void jacobian_close(Jacobian *jacobian);

/* cj dF/dy' + dF/dy at the values that the unknowns have now; `evaluated`: it was there that the part
 * was evaluated last. 0, or positive: no value there. */
int jacobian_evaluate(Jacobian *jacobian, double time, double cj, bool evaluated);
/* Another cj, dF/dy as it was; false: it never was. */
bool jacobian_shift(Jacobian *jacobian, double cj);

/* slope[i] := derivative of the slope of state i by the clock, where the Jacobian was evaluated just now. */
void jacobian_by_clock(Jacobian *jacobian, double *slope);

/* second[i] := second derivative of state i along the solution, at the part's values in Sim.value. */
void jacobian_along(Jacobian *jacobian, double *second);

/* weight[i] of tearing variables becomes at least the largest effect that one unit of it has on a
 * state within the step, in units of the states' weights; from the last evaluation. */
void jacobian_effects(Jacobian *jacobian, double *weight);

/* About the largest eigenvalue of d slope / d state by size, from the last evaluation; infinite
 * when there was none. Only without tearing variables. */
double jacobian_radius(Jacobian *jacobian);

/* out := (cj dF/dy' + dF/dy) v at the values of the last evaluation of the part. */
void jacobian_times(Jacobian *jacobian, double cj, const double *v, double *out);

/* The matrix or, for Krylov, something near it: factors of the last evaluation, and their use. 0,
 * positive: singular. */
int jacobian_factor(Jacobian *jacobian);
int jacobian_solve(Jacobian *jacobian, double *b);

SUNMatrix jacobian_matrix(Jacobian *jacobian, SUNContext context);
SUNLinearSolver jacobian_solver(Jacobian *jacobian, SUNContext context);

#endif
