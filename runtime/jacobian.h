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

SUNMatrix jacobian_matrix(Jacobian *jacobian, SUNContext context);
SUNLinearSolver jacobian_solver(Jacobian *jacobian, SUNContext context);

#endif
