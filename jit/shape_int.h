/* shape_int.h: expressions in canonical order, patterns and shapes, between template.c, shape.c and
 * shape_table.c. Private to jit/. */
#ifndef JIT_SHAPE_INT_H
#define JIT_SHAPE_INT_H

#include "base/map.h"
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
    ShapeCallees callees;     /* or NULL */
    void *context;            /* for it */
} Templates;

void templates_init(Templates *templates, Mem *mem, FormTable *forms);
void templates_free(Templates *templates);
const Template *template_of(Templates *templates, X x);

/* How many operands an operator of XOp has, X_CALL and X_ARG and leaves aside: those give 0. */
uint32_t shape_operands(uint32_t op);

/* ---- shape_table.c ---- */

typedef struct KnownShape {
    Shape shape;            /* first, so that a pointer to it is one to the whole */
    uint32_t id, same_hash; /* same_hash: next one with the same first hash, or 0 */
    uint32_t patterns;      /* that are reduced to it */
    size_t bytes;
} KnownShape;

typedef struct Pattern {
    uint32_t n_key;
    const uint32_t *key;
    KnownShape *known;
    const double *constants;
    uint32_t id, same_hash;
    uint32_t keepers;
    uint32_t older, newer; /* among those without keepers: used before, after; 0: none */
    uint64_t hash;
    size_t bytes;
} Pattern;

typedef struct SlotMark {
    uint32_t epoch, slot; /* slot is valid when epoch is that of the present block */
} SlotMark;

struct Shapes {
    Mem *mem;
    FormTable *forms;
    Templates templates;
    VEC(Pattern *) patterns;  /* by id; at[0] is unused; NULL: id is free */
    VEC(KnownShape *) shapes; /* likewise */
    VEC(uint32_t) free_patterns, free_shapes;
    Map pattern_by_hash, shape_by_hash; /* -> id */
    uint32_t oldest, newest;            /* patterns without keepers, 0: none */
    size_t bytes;                       /* of patterns and shapes */
    size_t idle, limit; /* of patterns without keepers and their shapes; what that may be */
    ShapeTotals totals;
    /* the present block */
    VEC(SlotMark) marks; /* by variable */
    uint32_t epoch;
    VEC(uint32_t) slots, key;
};

/* The pattern with the key Shapes.key, or NULL. It counts as used now. */
Pattern *shape_table_find(Shapes *shapes, uint64_t hash);
/* A new one; old ones that nobody keeps go if there are too many. All is copied. */
Pattern *shape_table_add(Shapes *shapes, uint64_t hash, const Shape *shape,
                         const double *constants);
void shape_table_free(Shapes *shapes);

#endif
