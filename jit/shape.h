/* shape.h: blocks -> shapes: what is the same in all blocks that can share code.
 *
 * A block is a list of assignments. Its shape is the list of its operations with variables replaced
 * by slots (numbered in the order in which the operations name them) and constants by places in a
 * table; what is left of the block is data: which variable stands at each slot, the constants.
 * `u = 2*i` of one instance and `p = 3*v` of another have one shape, and so one piece of code.
 *
 * Differences that change no bit of any result, derivatives included, are normalised away: the
 * order of operands of + * == <> and or, a > b against b < a, a + (-b) against a - b. Integer
 * powers are multiplied out as the interpreter does. Nothing is reassociated.
 *
 * One thread at a time, the one that owns the FormTable. Blocks that were seen are remembered, so that
 * they are found again when they return; those that nobody keeps (shape_keep) go when they are too
 * many, longest unused first.
 */
#ifndef JIT_SHAPE_H
#define JIT_SHAPE_H

#include "ddp/expr.h"

/* Operations beside those of XOp. Operands are numbers of operations, unless said otherwise. */
enum {
    SHAPE_LOAD = X_OP_COUNT, /* value of slot a */
    SHAPE_CONSTANT,          /* place a of the table of constants */
    SHAPE_STORE,             /* slot a := b */
    SHAPE_CALLEE             /* what the X_CALL behind it calls: see shape_callee_op */
};

enum { SHAPE_NONE = UINT32_MAX }; /* no operand */
enum { SHAPE_MAX_ARGS = 64 }; /* code is made for calls of foreign functions with at most so many */

/* X_CALL: a is the slot with the number of the function; the slots behind it have the numbers of
 * its derivatives by each argument. b is the operation X_ARG of the last argument or SHAPE_NONE, c
 * the number of arguments. X_ARG: argument a, the one before it b or SHAPE_NONE. */
typedef struct ShapeOp {
    uint32_t op, a, b, c; /* what an operation does not use is 0 */
} ShapeOp;

/* How C passes something; with what ShapeCallee.derivative says, all that code has to know of a
 * foreign function to call it itself. Its address is data (JitCallee in jit.h). */
typedef enum ShapeType {
    SHAPE_REAL = 1, /* double */
    SHAPE_INTEGER,  /* int */
    SHAPE_BOOLEAN,  /* int, 0 or not */
    SHAPE_STRING,   /* const char *, by the number of the text */
    SHAPE_HANDLE    /* void *, by the number of the handle */
} ShapeType;

enum {
    SHAPE_DIRECT_ARGS = 20
}; /* functions with more arguments are called through JitEnv.foreign */

typedef struct ShapeCallee {
    ShapeType out, in[SHAPE_DIRECT_ARGS];
    bool has_which; /* a last argument, int: a derivative function */
    enum {
        SHAPE_BY_DIFFERENCES, /* its derivatives: by central differences of itself */
        SHAPE_BY_FUNCTION     /* by a function with the same arguments and `which` */
    } derivative;
} ShapeCallee;

/* The operation that says it, and back. */
ShapeOp shape_callee_op(const ShapeCallee *callee);
ShapeCallee shape_callee(ShapeOp op);

/* Numbers of functions are slots too, but name no variable. */
typedef enum SlotRole { SLOT_READ, SLOT_STORED, SLOT_FUNCTION } SlotRole;

typedef struct Shape {
    uint64_t hash[2];
    uint32_t n_ops, n_slots, n_constants;
    const ShapeOp *ops;  /* operands before users; the content that the hash is made from */
    const uint8_t *role; /* [n_slots]: SlotRole; of shapes from shape_of */
} Shape;

typedef struct ShapeItem {
    uint32_t target;      /* variable (place in the vector of values) that is assigned */
    X value;              /* over positions */
    const uint32_t *vars; /* vars[p]: variable at position p */
} ShapeItem;

/* A block as code sees it. */
typedef struct ShapeUse {
    const Shape *shape;
    const double *constants; /* [n_constants] */
    const uint32_t *slots;   /* [n_slots]: variable, or number of a function; until the next call */
    uint32_t id;             /* for shape_keep */
} ShapeUse;

typedef struct Shapes Shapes;

Shapes *shapes_open(Mem *mem, FormTable *forms);
void shapes_close(Shapes *shapes);

/* Who knows foreign functions: false when this one, with n arguments, is not to be called directly.
 * Without anybody who knows, none is. */
typedef bool (*ShapeCallees)(void *context, uint32_t function, uint32_t n, ShapeCallee *callee);
void shapes_callees(Shapes *shapes, ShapeCallees callees, void *context);

/* The shape of items done in order: an item sees what those before it assigned. Residuals and
 * conditions are items too, with a place in the vector of values that the caller has set aside for
 * them. origin (or NULL): origin[v] is the variable that v is a copy of, or v itself; what is read
 * through a copy is read from the origin, so that a changed copy changes slots, not shapes. */
ShapeUse shape_of(Shapes *shapes, uint32_t n, const ShapeItem *items, const uint32_t *origin);

/* Shape and constants of a use stay until the next call of shape_of, or while they are kept. */
void shape_keep(Shapes *shapes, uint32_t id);
void shape_drop(Shapes *shapes, uint32_t id);
/* What patterns and shapes that nobody keeps may add to the memory in use; 32 MB if not said. */
void shapes_limit(Shapes *shapes, size_t bytes);

typedef struct ShapeTotals {
    uint32_t shapes;   /* different ones that are known now */
    uint32_t patterns; /* different lists of expressions that were reduced to them */
    uint64_t made;     /* shapes written out so far, those that are gone included */
    size_t bytes;
} ShapeTotals;

ShapeTotals shape_totals(const Shapes *shapes);

/* The hash of any list of operations; for whoever makes a Shape otherwise. */
void shape_hash(Shape *shape);
bool shape_same(const Shape *a, const Shape *b); /* by content */

/* Invariants K1..K5; aborts when one is broken. */
void shape_verify(const Shape *shape);

#endif
