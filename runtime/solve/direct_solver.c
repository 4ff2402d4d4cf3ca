/* direct_solver.c: factors of somebody's own -> what IDA calls. See direct_solver.h. */
#include "runtime/solve/direct_solver.h"

#include <string.h>

static SUNLinearSolver_Type solver_type(SUNLinearSolver solver)
{
    (void)solver;
    return SUNLINEARSOLVER_DIRECT;
}

static SUNLinearSolver_ID solver_id(SUNLinearSolver solver)
{
    (void)solver;
    return SUNLINEARSOLVER_CUSTOM;
}

static int solver_setup(SUNLinearSolver solver, SUNMatrix matrix)
{
    (void)matrix;
    DirectSolver *of = solver->content;
    return of->factor(of->owner);
}

static int solver_solve(SUNLinearSolver solver, SUNMatrix matrix, N_Vector x, N_Vector b,
                        realtype tolerance)
{
    (void)matrix;
    (void)tolerance;
    DirectSolver *of = solver->content;
    double *at = N_VGetArrayPointer(x);
    if (x != b)
        memcpy(at, N_VGetArrayPointer(b), of->n * sizeof *at);
    return of->solve(of->owner, at);
}

/* Both belong to their owner. */
static int solver_free(SUNLinearSolver solver)
{
    (void)solver;
    return 0;
}

/* Shared by all; nobody writes to it. */
static struct _generic_SUNLinearSolver_Ops solver_ops = {.gettype = solver_type,
                                                         .getid = solver_id,
                                                         .setup = solver_setup,
                                                         .solve = solver_solve,
                                                         .free = solver_free};

SUNLinearSolver direct_solver(DirectSolver *of, SUNContext context)
{
    of->solver =
        (struct _generic_SUNLinearSolver){.content = of, .ops = &solver_ops, .sunctx = context};
    return &of->solver;
}

/* IDA keeps a matrix only to hand it on: the values live with its owner. */
static SUNMatrix_ID matrix_id(SUNMatrix matrix)
{
    (void)matrix;
    return SUNMATRIX_CUSTOM;
}

static int matrix_zero(SUNMatrix matrix)
{
    (void)matrix;
    return 0;
}

static void matrix_destroy(SUNMatrix matrix)
{
    (void)matrix;
}

static struct _generic_SUNMatrix_Ops matrix_ops = {
    .getid = matrix_id, .zero = matrix_zero, .destroy = matrix_destroy};

SUNMatrix direct_matrix(DirectSolver *of, SUNContext context)
{
    of->matrix = (struct _generic_SUNMatrix){.content = of, .ops = &matrix_ops, .sunctx = context};
    return &of->matrix;
}
