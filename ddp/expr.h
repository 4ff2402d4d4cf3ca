/* expr.h: expressions and equations as shared, immutable forms.
 *
 * An expression (X) is a node of a hash-consed DAG over *positions*, not over variables: the equation
 * `u = R*i` of a hundred thousand resistors is one form over three positions, and each resistor's
 * relation adds only the list of its variables. Whatever is found out about a form (what it can be
 * solved for, where it is linear, its derivative) is found out once.
 *
 * Invariants
 *   X1  children are older than their parents: a < x and b < x and c < x for every node x;
 *       so walks go over ascending numbers and never recurse on the C stack.
 *   X2  equal nodes have equal numbers (constants compared by their bits, NaN canonical).
 *   X3  nothing in a table ever changes or goes away before the table does.
 *
 * All values are doubles at run time: Real as they are, Integer exactly, Boolean 0 or 1, String as the
 * number of an interned text. The front end has checked types; nothing here does.
 *
 * Walks use arrays that belong to the table, also behind a const pointer: one thread at a time. After
 * memory ran out (the guard of the Mem was taken) a table may only be closed.
 */
#ifndef DDP_EXPR_H
#define DDP_EXPR_H

#include "base/mem.h"
#include "ddp/functions.h"

typedef uint32_t X;    /* expression; 0: none */
typedef uint32_t Form; /* equation lhs = rhs over positions 0..n-1; 0: none */

#define X_OPERATOR(NAME, ...) X_##NAME,
typedef enum XOp {
    X_CONST, /* k */
    X_POS,   /* value at position a */
    /* one operand */
    X_NEG,
    X_NOT,
    X_FUNCTIONS_OF_ONE(X_OPERATOR, X_OPERATOR)
    /* two operands */
    X_ADD,
    X_SUB,
    X_MUL,
    X_DIV,
    X_POW,
    X_FUNCTIONS_OF_TWO(X_OPERATOR, X_OPERATOR) X_LT,
    X_LE,
    X_EQ,
    X_NE,
    X_GE,
    X_GT,
    X_AND,
    X_OR,
    /* three operands: a != 0 ? b : c, both evaluated, no event */
    X_SELECT,
    /* foreign function number a applied to the argument list b (0: no arguments) */
    X_CALL,
    X_ARG, /* argument list: this argument a, the list of those before it b (0: this is the first) */
    X_OP_COUNT
} XOp;
#undef X_OPERATOR

typedef struct XNode {
    uint8_t op;
    X a, b, c; /* operands by number, see XOp; 0 where there are fewer */
    double k;  /* X_CONST only */
} XNode;

typedef struct FormTable FormTable;

FormTable *forms_open(Mem *mem);
void forms_close(FormTable *table);
size_t forms_bytes(const FormTable *table); /* memory the table holds */

/* The verifier: aborts with the number of the first invariant that is broken. Linear in the table. */
void forms_verify(const FormTable *table);

/* ---- expressions ---- */

XNode x_node(const FormTable *table, X x);

/* As written: these build the node they are asked for. */
X x_const(FormTable *table, double k);
X x_pos(FormTable *table, uint32_t position);
X x_unary(FormTable *table, XOp op, X a);
X x_binary(FormTable *table, XOp op, X a, X b);
X x_select(FormTable *table, X condition, X yes, X no);
X x_call(FormTable *table, uint32_t function, uint32_t n, const X *args);

/* Simplified: constants folded where that is exact, 0 and 1 removed, -(-a), a-(-b), small integer
 * powers as products. For expressions that we make ourselves (derivatives, solved forms). */
X x_simple(FormTable *table, XOp op, X a, X b);

/* The same expression with integer powers up to 16 (constant exponents) multiplied out. Whoever makes
 * code calls this first: x_value evaluates such powers by the same products in the same order. */
X x_lower_powers(FormTable *table, X x);

/* The same expression with position i replaced by position map[i]. */
X x_rename(FormTable *table, X x, const uint32_t *map);

/* The same expression with by[i] in the place of position i. */
X x_put(FormTable *table, X x, const X *by);

/* All nodes that the roots consist of, each once, operands before users, in the order of reading (which
 * depends on the expressions, not on the history of the table). Taken from `mem`; the caller frees. */
X *x_nodes(const FormTable *table, Mem *mem, uint32_t n, const X *roots, uint32_t *count);

bool x_uses(const FormTable *table, X x, uint32_t position);
uint32_t x_positions(const FormTable *table, X x); /* one more than the largest position in x */

/* d x / d position, simplified; foreign calls give calls of their derivative (see x_call_partial). */
X x_partial(FormTable *table, X x, uint32_t position);

/* x = factor * position + rest with factor and rest free of the position; false when x is not of
 * that form (nonlinear, or inside a comparison). Expressions that do not use it give factor 0. */
bool x_linear(FormTable *table, X x, uint32_t position, X *factor, X *rest);

/* Evaluates with value_at[vars[i]] at position i: plain and slow, the definition of what an expression
 * means; jit/interp and compiled code must give the same bits. `foreign` evaluates X_CALL. */
typedef double (*XForeign)(void *context, uint32_t function, uint32_t n, const double *args);
double x_value(const FormTable *table, X x, const uint32_t *vars, const double *value_at,
               XForeign foreign, void *context);

/* A new function number whose value is the partial derivative of `function` by argument `which`;
 * the same question gives the same number. The caller (runtime) knows how to evaluate it. */
uint32_t x_call_partial(FormTable *table, uint32_t function, uint32_t which);
/* The reverse: false when `function` is no derivative. */
bool x_call_origin(const FormTable *table, uint32_t function, uint32_t *origin, uint32_t *which);
uint32_t x_new_function(FormTable *table); /* a fresh foreign function number */

/* Appends to the text that `out` holds already (NUL-terminated), cut off at `size` bytes in all. With
 * name(context, position) for positions; operators as in Sol, parentheses where precedence asks. */
typedef const char *(*XName)(void *context, uint32_t position);
void x_print(const FormTable *table, X x, XName name, void *context, char *out, size_t size);

/* The same for those who know the types of variables: a constant that is compared by == or <> with
 * `other` is written as constant(context, k, other), which is NULL where it is a number; operands of
 * not, and, or are true and false. */
typedef struct XNames {
    void *context;
    XName position;
    const char *(*constant)(void *context, double k, X other);
    /* Of a foreign function by its number, and of a constant that is its argument number `index`; NULL
     * or none: function3, and the number. A text is used before the next call of any of these. */
    const char *(*function)(void *context, uint32_t number);
    const char *(*argument)(void *context, uint32_t number, uint32_t index, double k);
} XNames;
void x_print_named(const FormTable *table, X x, const XNames *names, char *out, size_t size);

/* ---- equations ---- */

typedef enum Solvable {
    SOLVE_NOT,   /* does not occur, or nonlinear in it */
    SOLVE_RISKY, /* linear, but the factor depends on positions: it may be zero */
    SOLVE_SAFE   /* linear with a constant factor other than zero */
} Solvable;

typedef struct FormPosition {
    bool occurs; /* and does not cancel, as x in x + y = x */
    bool steers; /* the equation may determine it: it counts, not only in comparisons or floor */
    uint8_t solvable; /* Solvable */
    X solved;         /* explicit value for this position when solvable, over the other positions */
    X factor;         /* of the position in lhs - rhs when linear, else 0 */
    uint64_t factor_uses; /* bit k: the factor uses position k; bit 63: and some from 63 on */
} FormPosition;

typedef struct FormInfo {
    X lhs, rhs;
    uint32_t n; /* positions */
    const FormPosition *position;
} FormInfo;

Form form_make(FormTable *table, X lhs, X rhs, uint32_t n);
/* The same equation with position i replaced by position map[i], over n positions: merges positions
 * that stand for one variable, which must be done before asking what the form can be solved for. */
Form form_rename(FormTable *table, Form form, const uint32_t *map, uint32_t n);
/* The same equation without those positions from number `from` on that cancel. */
Form form_cancel(FormTable *table, Form form, uint32_t from);
const FormInfo *form_info(FormTable *table, Form form); /* stays valid as long as the table */
/* x_uses() of the factor of a position, which is known for all of them. */
static inline bool form_factor_uses(const FormTable *table, const FormPosition *of,
                                    uint32_t position)
{
    bool may = of->factor_uses >> (position < 63 ? position : 63) & 1;
    return may && (position < 63 || x_uses(table, of->factor, position));
}

typedef enum PositionKind { POSITION_VARIES, POSITION_FIXED, POSITION_TIME } PositionKind;

typedef struct FormOperand {
    uint32_t position; /* of the form that was differentiated */
    bool derivative;   /* its time derivative, else its value */
} FormOperand;

/* The equation differentiated by time. kinds[i] says how position i behaves (derivative unknown, 0, 1).
 * The result's positions 0..*n-1 stand for operands[0..*n-1] (room for 2 * positions); only what
 * occurs in it is listed. An operand may be a variable that another position stands for already (the
 * derivative of x where x' occurs): the caller, who knows, merges them by form_rename. */
Form form_derivative(FormTable *table, Form form, const PositionKind *kinds, FormOperand *operands,
                     uint32_t *n);

#endif
