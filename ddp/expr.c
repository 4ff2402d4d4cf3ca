/* expr.c: operators and operands -> shared nodes; nodes and values -> value. See expr.h.
 *
 * Nodes lie in one array, found again through a hash table of their numbers. Whoever has to look at
 * a whole expression takes a walk: the list of its nodes, operands first, made with a stack of our
 * own. The arrays of a walk are kept by the table and marked by an epoch, so that a walk costs what
 * the expression has nodes, not what the table has. This makes even x_value write into the table:
 * a table belongs to one thread at a time. */
#include "ddp/expr_int.h"

#include "ddp/apply.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- tables ---- */

FormTable *forms_open(Mem *mem)
{
    FormTable *table = mem_alloc(mem, sizeof *table);
    table->mem = mem;
    arena_init(&table->arena, mem);
    table->scratch = mem_alloc(mem, sizeof *table->scratch);
    vec_push(mem, &table->nodes, (XNode){0});
    vec_push(mem, &table->uses, (XUse){0});
    vec_push(mem, &table->forms, (FormEntry){0});
    vec_push(mem, &table->derivatives, (DerivativeEntry){0});
    vec_push(mem, &table->functions, (XFunction){0});
    return table;
}

static void walk_free(Mem *mem, XWalk *walk)
{
    mem_free(mem, walk->stamp);
    mem_free(mem, walk->place);
    vec_free(mem, &walk->order);
    vec_free(mem, &walk->stack);
    vec_free(mem, &walk->first);
    vec_free(mem, &walk->second);
    vec_free(mem, &walk->value);
    vec_free(mem, &walk->args);
}

void forms_close(FormTable *table)
{
    if (!table)
        return;
    Mem *mem = table->mem;
    for (uint32_t i = 0; i < X_WALKS; i++)
        walk_free(mem, &table->scratch->walk[i]);
    mem_free(mem, table->scratch);
    arena_free(&table->arena);
    vec_free(mem, &table->nodes);
    vec_free(mem, &table->uses);
    vec_free(mem, &table->forms);
    vec_free(mem, &table->derivatives);
    vec_free(mem, &table->functions);
    vec_free(mem, &table->lowered);
    mem_free(mem, table->node_index.slot);
    mem_free(mem, table->form_index.slot);
    mem_free(mem, table->derivative_index.slot);
    map_free(mem, &table->partials);
    mem_free(mem, table);
}

static size_t index_bytes(const XIndex *index)
{
    return index->slot ? ((size_t)index->mask + 1) * sizeof *index->slot : 0;
}

static size_t walk_bytes(const XWalk *w)
{
    size_t words = 2 * (size_t)w->cap + w->order.cap + w->stack.cap + w->first.cap + w->second.cap;
    return words * sizeof(X) + ((size_t)w->value.cap + w->args.cap) * sizeof(double);
}

size_t forms_bytes(const FormTable *table)
{
    size_t bytes = sizeof *table + sizeof *table->scratch + table->arena.used;
    for (uint32_t i = 0; i < X_WALKS; i++)
        bytes += walk_bytes(&table->scratch->walk[i]);
    bytes += table->nodes.cap * sizeof *table->nodes.at;
    bytes += table->uses.cap * sizeof *table->uses.at;
    bytes += table->forms.cap * sizeof *table->forms.at;
    bytes += table->derivatives.cap * sizeof *table->derivatives.at;
    bytes += table->functions.cap * sizeof *table->functions.at;
    bytes += index_bytes(&table->node_index) + index_bytes(&table->form_index);
    bytes += index_bytes(&table->derivative_index);
    if (table->partials.slot)
        bytes += ((size_t)table->partials.mask + 1) * sizeof *table->partials.slot;
    return bytes;
}

/* ---- hash index ---- */

uint32_t *xindex_find(const FormTable *table, XIndex *index, uint64_t hash, XSame same,
                      const void *wanted)
{
    uint32_t i = (uint32_t)hash & index->mask;
    while (index->slot[i] && !same(table, index->slot[i], wanted))
        i = (i + 1) & index->mask;
    return &index->slot[i];
}

void xindex_reserve(const FormTable *table, XIndex *index, XRehash rehash)
{
    if (index->slot && index->n + 1 <= index->mask - index->mask / 4)
        return;
    XIndex larger = {.mask = index->mask ? index->mask * 2 + 1 : 63, .n = index->n};
    larger.slot = mem_alloc(table->mem, ((size_t)larger.mask + 1) * sizeof *larger.slot);
    for (uint32_t i = 0; index->slot && i <= index->mask; i++) {
        uint32_t number = index->slot[i];
        if (!number)
            continue;
        uint32_t to = (uint32_t)rehash(table, number) & larger.mask;
        while (larger.slot[to])
            to = (to + 1) & larger.mask;
        larger.slot[to] = number;
    }
    mem_free(table->mem, index->slot);
    *index = larger;
}

/* ---- nodes ---- */

static uint64_t node_hash(const XNode *node)
{
    uint64_t bits;
    memcpy(&bits, &node->k, sizeof bits);
    uint64_t h = hash_u64((uint64_t)node->op << 32 | node->a) ^ bits;
    return hash_u64(h ^ ((uint64_t)node->b << 32 | node->c));
}

static uint64_t node_rehash(const FormTable *table, uint32_t number)
{
    return node_hash(&table->nodes.at[number]);
}

static bool node_same(const FormTable *table, uint32_t number, const void *wanted)
{
    const XNode *x = &table->nodes.at[number], *y = wanted;
    return x->op == y->op && x->a == y->a && x->b == y->b && x->c == y->c &&
           memcmp(&x->k, &y->k, sizeof x->k) == 0;
}

static XUse use_of(const FormTable *table, XNode node)
{
    XUse use = {0};
    X child[3];
    if (node.op == X_POS)
        return (XUse){(uint64_t)1 << (node.a < 63 ? node.a : 63), node.a + 1};
    for (uint32_t n = xnode_children(node, child); n-- > 0;) {
        const XUse *of = &table->uses.at[child[n]];
        use.mask |= of->mask;
        if (of->positions > use.positions)
            use.positions = of->positions;
    }
    return use;
}

static X node_make(FormTable *table, XNode node)
{
    xindex_reserve(table, &table->node_index, node_rehash);
    uint32_t *slot = xindex_find(table, &table->node_index, node_hash(&node), node_same, &node);
    if (*slot)
        return *slot;
    X x = table->nodes.n;
    vec_push(table->mem, &table->nodes, node);
    vec_push(table->mem, &table->uses, use_of(table, node));
    table->node_index.n++;
    return *slot = x;
}

XNode x_node(const FormTable *table, X x)
{
    return table->nodes.at[x];
}

X x_const(FormTable *table, double k)
{
    return node_make(table, (XNode){.op = X_CONST, .k = isnan(k) ? (double)NAN : k});
}

X x_pos(FormTable *table, uint32_t position)
{
    return node_make(table, (XNode){.op = X_POS, .a = position});
}

X x_unary(FormTable *table, XOp op, X a)
{
    assert(x_op_is_unary(op) && a && a < table->nodes.n);
    return node_make(table, (XNode){.op = (uint8_t)op, .a = a});
}

X x_binary(FormTable *table, XOp op, X a, X b)
{
    assert(x_op_is_binary(op) && a && b && a < table->nodes.n && b < table->nodes.n);
    return node_make(table, (XNode){.op = (uint8_t)op, .a = a, .b = b});
}

X x_select(FormTable *table, X condition, X yes, X no)
{
    assert(condition && yes && no);
    return node_make(table, (XNode){.op = X_SELECT, .a = condition, .b = yes, .c = no});
}

X x_call(FormTable *table, uint32_t function, uint32_t n, const X *args)
{
    X list = 0;
    for (uint32_t i = 0; i < n; i++)
        list = node_make(table, (XNode){.op = X_ARG, .a = args[i], .b = list});
    return node_make(table, (XNode){.op = X_CALL, .a = function, .b = list});
}

bool x_is_const(const FormTable *table, X x, double k)
{
    const XNode *node = &table->nodes.at[x];
    return node->op == X_CONST && node->k == k;
}

uint32_t xnode_children(XNode node, X child[3])
{
    uint32_t n = 0;
    if (node.op == X_CONST || node.op == X_POS)
        return 0;
    if (node.op != X_CALL)
        child[n++] = node.a;
    if (node.b)
        child[n++] = node.b;
    if (node.c)
        child[n++] = node.c;
    return n;
}

X xnode_rebuild(FormTable *table, XNode node, X a, X b, X c)
{
    if (node.op == X_CONST || node.op == X_POS)
        return node_make(table, node);
    if (node.op != X_CALL)
        node.a = a;
    node.b = b;
    node.c = c;
    return node_make(table, node);
}

/* ---- verifier ---- */

static void broken(const char *invariant, X x)
{
    fprintf(stderr, "solstice: invariant %s is broken at expression %u\n", invariant, x);
    abort();
}

void forms_verify(const FormTable *table)
{
    XIndex index = table->node_index;
    for (X x = 1; x < table->nodes.n; x++) {
        XNode node = table->nodes.at[x];
        X child[3];
        for (uint32_t n = xnode_children(node, child); n-- > 0;)
            if (child[n] == 0 || child[n] >= x)
                broken("X1", x);
        if (*xindex_find(table, &index, node_hash(&node), node_same, &node) != x)
            broken("X2", x);
    }
}

/* ---- walks ---- */

static void walk_fit(const FormTable *table, XWalk *walk)
{
    if (walk->cap >= table->nodes.n)
        return;
    size_t cap = table->nodes.cap;
    walk->stamp = mem_resize(table->mem, walk->stamp, cap * sizeof *walk->stamp);
    memset(walk->stamp + walk->cap, 0, (cap - walk->cap) * sizeof *walk->stamp);
    walk->place = mem_resize(table->mem, walk->place, cap * sizeof *walk->place);
    walk->cap = (uint32_t)cap;
}

/* Puts the top of the stack into the order if its operands are there, else stacks them, the first
 * one on top, so that the order is that of reading. */
static void walk_step(const FormTable *table, XWalk *walk)
{
    X x = vec_last(&walk->stack), child[3];
    if (walk->stamp[x] == walk->epoch) {
        walk->stack.n--;
        return;
    }
    uint32_t before = walk->stack.n;
    for (uint32_t i = xnode_children(table->nodes.at[x], child); i-- > 0;)
        if (walk->stamp[child[i]] != walk->epoch)
            vec_push(table->mem, &walk->stack, child[i]);
    if (walk->stack.n > before)
        return;
    walk->stack.n--;
    walk->stamp[x] = walk->epoch;
    walk->place[x] = walk->order.n;
    vec_push(table->mem, &walk->order, x);
}

XWalk *xwalk_begin(const FormTable *table, uint32_t n, const X *roots)
{
    XScratch *scratch = table->scratch;
    if (scratch->n == X_WALKS)
        abort();
    XWalk *walk = &scratch->walk[scratch->n++];
    walk_fit(table, walk);
    if (++walk->epoch == 0) {
        memset(walk->stamp, 0, walk->cap * sizeof *walk->stamp);
        walk->epoch = 1;
    }
    vec_clear(&walk->order);
    vec_clear(&walk->stack);
    for (uint32_t i = 0; i < n; i++) {
        vec_push(table->mem, &walk->stack, roots[i]);
        while (walk->stack.n)
            walk_step(table, walk);
    }
    return walk;
}

void xwalk_end(const FormTable *table, XWalk *walk)
{
    XScratch *scratch = table->scratch;
    assert(walk == &scratch->walk[scratch->n - 1]);
    (void)walk;
    scratch->n--;
}

/* ---- questions and rewriting ---- */

X *x_nodes(const FormTable *table, Mem *mem, uint32_t n, const X *roots, uint32_t *count)
{
    XWalk *walk = xwalk_begin(table, n, roots);
    X *list = mem_alloc(mem, ((size_t)walk->order.n + 1) * sizeof *list);
    *count = walk->order.n;
    if (walk->order.n)
        memcpy(list, walk->order.at, walk->order.n * sizeof *list);
    xwalk_end(table, walk);
    return list;
}

bool x_uses(const FormTable *table, X x, uint32_t position)
{
    const XUse *use = &table->uses.at[x];
    if (position < 63 || position >= use->positions)
        return position < use->positions && use->mask >> position & 1;
    XWalk *walk = xwalk_begin(table, 1, &x);
    bool found = false;
    for (uint32_t i = 0; i < walk->order.n && !found; i++) {
        const XNode *node = &table->nodes.at[walk->order.at[i]];
        found = node->op == X_POS && node->a == position;
    }
    xwalk_end(table, walk);
    return found;
}

uint32_t x_positions(const FormTable *table, X x)
{
    return table->uses.at[x].positions;
}

/* What the operand of a node became; 0 stays 0. */
static X became(const XWalk *walk, X operand)
{
    return operand ? walk->first.at[walk->place[operand]] : 0;
}

typedef X (*Rewrite)(FormTable *table, XNode node, X a, X b, X c, const void *context);

/* Rewrites all nodes of x, operands first; the rewriter gets the operands as they became. */
static X rewrite(FormTable *table, X x, Rewrite change, const void *context)
{
    XWalk *walk = xwalk_begin(table, 1, &x);
    vec_reserve(table->mem, &walk->first, walk->order.n);
    for (uint32_t i = 0; i < walk->order.n; i++) {
        XNode node = x_node(table, walk->order.at[i]);
        bool leaf = node.op == X_CONST || node.op == X_POS;
        X a = leaf || node.op == X_CALL ? 0 : became(walk, node.a);
        walk->first.at[i] =
            change(table, node, a, became(walk, node.b), became(walk, node.c), context);
    }
    X result = walk->first.at[walk->order.n - 1];
    xwalk_end(table, walk);
    return result;
}

static X rename_node(FormTable *table, XNode node, X a, X b, X c, const void *context)
{
    const uint32_t *map = context;
    if (node.op == X_POS)
        return x_pos(table, map[node.a]);
    return xnode_rebuild(table, node, a, b, c);
}

X x_rename(FormTable *table, X x, const uint32_t *map)
{
    return rewrite(table, x, rename_node, map);
}

static X put_node(FormTable *table, XNode node, X a, X b, X c, const void *context)
{
    const X *by = context;
    return node.op == X_POS ? by[node.a] : xnode_rebuild(table, node, a, b, c);
}

X x_put(FormTable *table, X x, const X *by)
{
    return rewrite(table, x, put_node, by);
}

bool x_small_exponent(const FormTable *table, X x, int *n)
{
    XNode node = x_node(table, x);
    double sign = 1;
    if (node.op == X_NEG) {
        sign = -1;
        node = x_node(table, node.a);
    }
    if (node.op != X_CONST || !(fabs(node.k) <= X_POWER_LIMIT) || node.k != floor(node.k))
        return false;
    *n = (int)(sign * node.k);
    return true;
}

X x_power_as_product(FormTable *table, X a, int n)
{
    X square = a, product = 0;
    for (int m = abs(n); m; m >>= 1) {
        if (m & 1)
            product = product ? x_binary(table, X_MUL, product, square) : square;
        if (m > 1)
            square = x_binary(table, X_MUL, square, square);
    }
    if (n < 0)
        return x_binary(table, X_DIV, x_const(table, 1), product);
    return product ? product : x_const(table, 1);
}

static X lower_node(FormTable *table, XNode node, X a, X b, X c, const void *context)
{
    int n;
    (void)context;
    if (node.op == X_POW && x_small_exponent(table, node.b, &n))
        return x_power_as_product(table, a, n);
    return xnode_rebuild(table, node, a, b, c);
}

/* Kept: every structural change asks for the expressions of the relations it enters, again and
 * again the same ones. */
X x_lower_powers(FormTable *table, X x)
{
    while (table->lowered.n <= x)
        vec_push(table->mem, &table->lowered, 0);
    X known = table->lowered.at[x];
    if (known)
        return known;
    X lowered = rewrite(table, x, lower_node, NULL);
    table->lowered.at[x] = lowered;
    return lowered;
}

/* ---- values ---- */

static double operand_value(const XWalk *walk, X operand)
{
    return walk->value.at[walk->place[operand]];
}

static double call_value(const FormTable *table, XWalk *walk, XNode call, XForeign foreign,
                         void *context)
{
    uint32_t n = 0;
    for (X list = call.b; list; list = x_node(table, list).b)
        n++;
    vec_reserve(table->mem, &walk->args, n);
    uint32_t i = n;
    for (X list = call.b; list; list = x_node(table, list).b)
        walk->args.at[--i] = operand_value(walk, list);
    return foreign ? foreign(context, call.a, n, walk->args.at) : (double)NAN;
}

static double binary_value(const FormTable *table, const XWalk *walk, XNode node)
{
    int n;
    double a = operand_value(walk, node.a);
    if (node.op == X_POW && x_small_exponent(table, node.b, &n))
        return x_power(a, n);
    return x_apply_binary(node.op, a, operand_value(walk, node.b));
}

enum { SMALL_DEPTH = 4 };

/* A small expression needs no lists. False: it is none, or has more than arithmetic in it. */
static bool small_value(const FormTable *table, X x, const uint32_t *vars, const double *value_at,
                        int depth, double *value)
{
    const XNode *node = &table->nodes.at[x];
    double a, b;
    int n;
    if (node->op == X_CONST || node->op == X_POS) {
        *value = node->op == X_CONST ? node->k : value_at[vars[node->a]];
        return true;
    }
    if (depth == 0 || node->op == X_CALL || node->op == X_ARG || node->op == X_SELECT ||
        !small_value(table, node->a, vars, value_at, depth - 1, &a))
        return false;
    if (x_op_is_unary(node->op))
        *value = x_apply_unary(node->op, a);
    else if (node->op == X_POW && x_small_exponent(table, node->b, &n))
        *value = x_power(a, n);
    else if (small_value(table, node->b, vars, value_at, depth - 1, &b))
        *value = x_apply_binary(node->op, a, b);
    else
        return false;
    return true;
}

double x_value(const FormTable *table, X x, const uint32_t *vars, const double *value_at,
               XForeign foreign, void *context)
{
    double v = 0;
    if (small_value(table, x, vars, value_at, SMALL_DEPTH, &v))
        return v;
    XWalk *walk = xwalk_begin(table, 1, &x);
    vec_reserve(table->mem, &walk->value, walk->order.n);
    for (uint32_t i = 0; i < walk->order.n; i++) {
        XNode node = x_node(table, walk->order.at[i]);
        if (node.op == X_CONST)
            v = node.k;
        else if (node.op == X_POS)
            v = value_at[vars[node.a]];
        else if (node.op == X_CALL)
            v = call_value(table, walk, node, foreign, context);
        else if (node.op == X_ARG)
            v = operand_value(walk, node.a);
        else if (node.op == X_SELECT)
            v = operand_value(walk, operand_value(walk, node.a) != 0 ? node.b : node.c);
        else if (x_op_is_unary(node.op))
            v = x_apply_unary(node.op, operand_value(walk, node.a));
        else
            v = binary_value(table, walk, node);
        walk->value.at[i] = v;
    }
    xwalk_end(table, walk);
    return v;
}

/* ---- foreign functions ---- */

static uint32_t function_make(FormTable *table, XFunction function)
{
    uint32_t number = table->functions.n;
    vec_push(table->mem, &table->functions, function);
    return number;
}

uint32_t x_new_function(FormTable *table)
{
    return function_make(table, (XFunction){0});
}

uint32_t x_call_partial(FormTable *table, uint32_t function, uint32_t which)
{
    uint64_t key = (uint64_t)function << 32 | which;
    uint32_t number = map_get(&table->partials, key);
    if (!number) {
        number = function_make(table, (XFunction){function, which});
        map_put(table->mem, &table->partials, key, number);
    }
    return number;
}

bool x_call_origin(const FormTable *table, uint32_t function, uint32_t *origin, uint32_t *which)
{
    if (function >= table->functions.n || table->functions.at[function].origin == 0)
        return false;
    *origin = table->functions.at[function].origin;
    *which = table->functions.at[function].which;
    return true;
}
