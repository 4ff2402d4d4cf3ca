/* jacobian.h: the Jacobian of a part's residual for IDA, and the linear solvers that use it. */
#ifndef RUNTIME_JACOBIAN_H
#define RUNTIME_JACOBIAN_H

#include "runtime/parts.h"

#include <sundials/sundials_linearsolver.h>
#include <sundials/sundials_matrix.h>

typedef struct Jacobian Jacobian;

/* Of the part as it is: pattern, colours and, for the sparse solver, its analysis are made here. */
Jacobian *jacobian_open(Part *part, bool sparse);
void jacobian_close(Jacobian *jacobian);

/* cj dF/dy' + dF/dy at the values that the unknowns have now. 0, or positive: no value there. */
int jacobian_evaluate(Jacobian *jacobian, double time, double cj);

/* The largest effect that one unit of unknown `column` has on a state within the step, in units of
 * the weights given; from the last evaluation. */
double jacobian_effect(const Jacobian *jacobian, uint32_t column, const double *weight);

SUNMatrix jacobian_matrix(Jacobian *jacobian, SUNContext context);
SUNLinearSolver jacobian_solver(Jacobian *jacobian, SUNContext context);

#endif
