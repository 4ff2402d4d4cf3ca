/* expr_int.h: what the files behind expr.h share. Private to ddp/. */
#ifndef DDP_EXPR_INT_H
#define DDP_EXPR_INT_H

#include "base/map.h"
#include "base/vec.h"
#include "ddp/expr.h"

/* Hash table of things that lie in an array and know their own content. */
typedef struct XIndex {
    uint32_t *slot; /* number of the thing, 0: empty */
    uint32_t n;
    uint32_t mask; /* number of slots - 1, or 0 when there are none */
} XIndex;

/* The nodes that an expression consists of, operands before users. One table has a few of these, so
 * that a walk may start while another one is under way; they end in reverse order. */
typedef struct XWalk {
    uint32_t *stamp; /* stamp[x] == epoch: x is in the order, */
    uint32_t *place; /*   at order.at[place[x]] */
    uint32_t cap, epoch;
    VEC(X) order; /* each node once */
    VEC(X) stack;
    VEC(X) first, second; /* for the walker: results per place */
    VEC(double) value;    /* likewise */
    VEC(double) args;
} XWalk;

enum { X_WALKS = 4 };

typedef struct XScratch {
    XWalk walk[X_WALKS];
    uint32_t n; /* walks under way */
} XScratch;

/* Which positions an expression has. */
typedef struct XUse {
    uint64_t mask;      /* bit k: position k; bit 63: and some from 63 on */
    uint32_t positions; /* one more than the largest; 0: none */
} XUse;

typedef struct XFunction {
    uint32_t origin,
        which; /* derivative of `origin` by argument `which`; origin 0: no derivative */
} XFunction;

typedef struct FormEntry {
    X lhs, rhs;
    uint32_t n;
    const FormInfo *info; /* NULL until asked for */
} FormEntry;

typedef struct DerivativeEntry {
    Form form, result;
    uint32_t n_kinds, n_operands;
    const uint8_t *kinds;
    const FormOperand *operands;
} DerivativeEntry;

struct FormTable {
    Mem *mem;
    Arena arena;                      /* what is handed out for good */
    VEC(XNode) nodes;                 /* at[x]; at[0] is unused */
    VEC(XUse) uses;                   /* at[x] likewise */
    VEC(FormEntry) forms;             /* at[form]; at[0] is unused */
    VEC(DerivativeEntry) derivatives; /* at[0] is unused */
    VEC(XFunction) functions;         /* at[function]; at[0] is unused */
    VEC(X) lowered;                   /* at[x]: x_lower_powers of it, or 0: not asked for yet */
    XIndex node_index, form_index, derivative_index;
    Map partials; /* function << 32 | which -> function */
    XScratch *scratch;
};

/* The operands of a node that are expressions (not function numbers, not positions). */
uint32_t xnode_children(XNode node, X child[3]);

/* Starts a walk over everything below the roots; end it with xwalk_end. */
XWalk *xwalk_begin(const FormTable *table, uint32_t n, const X *roots);
void xwalk_end(const FormTable *table, XWalk *walk);

/* The slot of a thing with this hash: the one for which same() holds, or an empty one to fill. */
typedef bool (*XSame)(const FormTable *table, uint32_t number, const void *wanted);
uint32_t *xindex_find(const FormTable *table, XIndex *index, uint64_t hash, XSame same,
                      const void *wanted);
/* Makes room for one more; rehash gives the hash of a stored thing. */
typedef uint64_t (*XRehash)(const FormTable *table, uint32_t number);
void xindex_reserve(const FormTable *table, XIndex *index, XRehash rehash);

bool x_is_const(const FormTable *table, X x, double k); /* 0 and -0 are the same here */

/* True for a constant, or minus a constant, that is an integer of at most X_POWER_LIMIT. */
bool x_small_exponent(const FormTable *table, X x, int *n);
/* a^n multiplied out in the order of x_power. */
X x_power_as_product(FormTable *table, X a, int n);

/* X_SELECT, simplified as x_simple does. */
X x_simple_select(FormTable *table, X condition, X yes, X no);

/* The node again with other operands, as written. */
X xnode_rebuild(FormTable *table, XNode node, X a, X b, X c);

#endif
