/* interp.h: tier zero: expressions -> bytecode, run by an interpreter.
 *
 * A code is a list of assignments to positions, done in order: an expression sees what the ones
 * before it assigned. It is made once per content and run for any number of instances, each with
 * its own list of variables. The interpreter is always complete, and it is what compiled code is
 * compared with: its results have the bits of x_value (a result that is no number is some NaN).
 *
 * Codes live as long as the Interp and never change. Any number of threads may run one at the same
 * time, each with its own scratch; making codes is for one thread at a time.
 *
 * Error rule: running cannot fail; a foreign function that fails returns NaN and tells its context.
 */
#ifndef JIT_INTERP_H
#define JIT_INTERP_H

#include "ddp/expr.h"

typedef struct Interp Interp;
typedef struct Code Code;
typedef uint32_t CodeId; /* 0: none; the same content always has the same number */

enum { INTERP_NO_TARGET = UINT32_MAX };

Interp *interp_open(Mem *mem, FormTable *forms);
void interp_close(Interp *interp);

/* The code that does position targets[i] := values[i] for i = 0..n-1, in this order. With
 * INTERP_NO_TARGET the value of assignment i is found at scratch[i] instead (residuals,
 * conditions). A target must not stand for the same variable as another position that the code
 * reads. */
CodeId interp_code(Interp *interp, uint32_t n, const uint32_t *targets, const X *values);
const Code *interp_get(const Interp *interp, CodeId id); /* valid as long as the Interp */

/* How many doubles of scratch a run needs; scratch need not be initialised. */
size_t interp_scratch(const Code *code);
size_t interp_tangent_scratch(const Code *code);

/* Runs with position p at values[vars[p]]. */
void interp_run(const Code *code, const uint32_t *vars, double *values, double *scratch,
                XForeign foreign, void *context);

/* The same, and with it the derivative of each assignment in the direction given by `tangents`
 * (tangents[v] for values[v]): targets get both value and tangent; for an assignment without target
 * the value is at scratch[i] and the tangent at *result_tangents + i. Forward mode on the same
 * code: no symbolic derivatives but those of foreign functions. Rules for corners as in x_partial;
 * where an operand's tangent is 0 it adds nothing, even where the slope is infinite.
 * result_tangents may be NULL. */
void interp_tangent(const Code *code, const uint32_t *vars, double *values, double *tangents,
                    double *scratch, const double **result_tangents, XForeign foreign,
                    void *context);

typedef struct InterpTotals {
    uint32_t codes, operations;
    size_t bytes;
} InterpTotals;

InterpTotals interp_totals(const Interp *interp);

#endif
