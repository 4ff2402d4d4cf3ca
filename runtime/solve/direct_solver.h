/* direct_solver.h: whoever factors and solves -> a linear solver and a matrix as IDA wants them. Private to runtime/. */
#ifndef RUNTIME_SOLVE_DIRECT_SOLVER_H
#define RUNTIME_SOLVE_DIRECT_SOLVER_H

#include <stdint.h>
#include <sundials/sundials_linearsolver.h>
#include <sundials/sundials_matrix.h>

/* The owner keeps the matrix and its factors; IDA only hands these two on. */
typedef struct DirectSolver {
    void *owner;
    uint32_t n;
    int (*factor)(void *owner);           /* 0, or positive: singular */
    int (*solve)(void *owner, double *b); /* b := solution */
    struct _generic_SUNLinearSolver solver;
    struct _generic_SUNMatrix matrix;
} DirectSolver;

SUNLinearSolver direct_solver(DirectSolver *of, SUNContext context);
SUNMatrix direct_matrix(DirectSolver *of, SUNContext context);

#endif
