/* shape_int.h: expressions in canonical order, between template.c and shape.c. Private to jit/. */
#ifndef JIT_SHAPE_INT_H
#define JIT_SHAPE_INT_H

#include "base/vec.h"
#include "jit/shape.h"

/* One expression; operations as in ShapeOp, but local: SHAPE_LOAD loads positions[a],
 * SHAPE_CONSTANT is constants[a], X_CALL calls functions[a]. The last operation is the value. */
typedef struct Template {
    uint32_t n_ops, n_positions, n_constants, n_functions;
    const ShapeOp *ops;
    const uint32_t *positions; /* each once, in the order of their loads */
    const double *constants;   /* one per use */
    const uint32_t *functions; /* numbers: each call's function, then its derivatives */
} Template;

typedef struct Templates {
    Mem *mem;
    FormTable *forms;
    Arena arena;
    VEC(const Template *) of; /* of.at[x], or NULL when not asked for yet */
} Templates;

void templates_init(Templates *templates, Mem *mem, FormTable *forms);
void templates_free(Templates *templates);
const Template *template_of(Templates *templates, X x);

/* How many operands an operator of XOp has, X_CALL and X_ARG and leaves aside: those give 0. */
uint32_t shape_operands(uint32_t op);

#endif
