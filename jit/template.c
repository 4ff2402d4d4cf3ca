/* template.c: expression -> its operations in canonical order. See shape_int.h.
 *
 * Each node has a signature: a hash of the expression below it with all positions and constants
 * taken as alike. Operands that may change places are put in the order of their signatures; where
 * these are the same the operands have the same operations (but for a collision, which costs
 * sharing and nothing else), and then the order as written serves as well as any. Operations are
 * listed in the order of a walk that visits operands left to right in this canonical order.
 *
 * A constant is written out again at each of its uses: whether two constants are equal is not part
 * of a shape. */
#include "jit/shape_int.h"

#include "base/map.h"

#include <string.h>

typedef struct Canon {
    Templates *t;
    Map signature; /* node -> number of its signature + 1 */
    Map done;      /* node -> operation + 1 */
    VEC(uint64_t) signatures;
    VEC(X) stack;
    VEC(ShapeOp) ops;
    VEC(uint32_t) positions, functions;
    VEC(double) constants;
} Canon;

uint32_t shape_operands(uint32_t op)
{
    if (op >= X_NEG && op <= X_ROUND)
        return 1;
    if (op >= X_ADD && op <= X_OR)
        return 2;
    return op == X_SELECT ? 3 : 0;
}

/* ---- signatures ---- */

static uint64_t signature(const Canon *c, X x)
{
    uint32_t at = x ? map_get(&c->signature, x) : 0;
    return at ? c->signatures.at[at - 1] : 0;
}

static bool commutes(uint32_t op)
{
    return op == X_ADD || op == X_MUL || op == X_EQ || op == X_NE || op == X_AND || op == X_OR;
}

static X negated(const Canon *c, X x) /* y when x is -y, else 0 */
{
    XNode node = x_node(c->t->forms, x);
    return node.op == X_NEG ? node.a : 0;
}

static XNode with_operands(XNode node, XOp op, X a, X b)
{
    node.op = op;
    node.a = a;
    node.b = b;
    return node;
}

/* The node as it enters the shape. Each rule keeps all bits, those of derivatives included; rules
 * that do not (a product with a negated factor, a double negation, whose derivative would turn -0
 * into 0) are left out. */
static XNode canonical(const Canon *c, X x)
{
    XNode node = x_node(c->t->forms, x);
    X y;
    if (node.op == X_GT)
        node = with_operands(node, X_LT, node.b, node.a);
    else if (node.op == X_GE)
        node = with_operands(node, X_LE, node.b, node.a);
    else if (node.op == X_SUB && (y = negated(c, node.b)))
        node = with_operands(node, X_ADD, node.a, y);
    else if (node.op == X_ADD && (y = negated(c, node.b)))
        node = with_operands(node, X_SUB, node.a, y);
    else if (node.op == X_ADD && (y = negated(c, node.a)))
        node = with_operands(node, X_SUB, node.b, y);
    if (commutes(node.op) && signature(c, node.a) > signature(c, node.b))
        node = with_operands(node, node.op, node.b, node.a);
    return node;
}

static void sign(Canon *c, X x)
{
    XNode node = canonical(c, x);
    uint64_t h = hash_u64(node.op + 1);
    if (node.op == X_CALL) {
        h = hash_u64(h ^ signature(c, node.b));
    } else if (node.op != X_CONST && node.op != X_POS) {
        h = hash_u64(h ^ signature(c, node.a));
        h = hash_u64(h + signature(c, node.b));
        h = hash_u64(h + signature(c, node.c));
    }
    vec_push(c->t->mem, &c->signatures, h);
    map_put(c->t->mem, &c->signature, x, c->signatures.n);
}

/* ---- operations ---- */

static uint32_t push_op(Canon *c, ShapeOp op)
{
    vec_push(c->t->mem, &c->ops, op);
    return c->ops.n - 1;
}

static uint32_t constant_op(Canon *c, double k)
{
    vec_push(c->t->mem, &c->constants, k);
    return push_op(c, (ShapeOp){.op = SHAPE_CONSTANT, .a = c->constants.n - 1});
}

static uint32_t operand_op(Canon *c, X x)
{
    XNode node = x_node(c->t->forms, x);
    return node.op == X_CONST ? constant_op(c, node.k) : map_get(&c->done, x) - 1;
}

static uint32_t load_op(Canon *c, uint32_t position)
{
    vec_push(c->t->mem, &c->positions, position);
    return push_op(c, (ShapeOp){.op = SHAPE_LOAD, .a = c->positions.n - 1});
}

static uint32_t call_op(Canon *c, XNode node)
{
    uint32_t n = 0, first = c->functions.n;
    for (X list = node.b; list; list = x_node(c->t->forms, list).b)
        n++;
    vec_push(c->t->mem, &c->functions, node.a);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t partial = x_call_partial(c->t->forms, node.a, i);
        vec_push(c->t->mem, &c->functions, partial);
    }
    uint32_t last = node.b ? operand_op(c, node.b) : SHAPE_NONE;
    ShapeCallee callee = {0};
    if (c->t->callees && n <= SHAPE_DIRECT_ARGS && c->t->callees(c->t->context, node.a, n, &callee))
        push_op(c, shape_callee_op(&callee));
    return push_op(c, (ShapeOp){.op = X_CALL, .a = first, .b = last, .c = n});
}

static uint32_t node_op(Canon *c, XNode node)
{
    ShapeOp op = {.op = node.op};
    uint32_t operands = shape_operands(node.op);
    switch (node.op) {
    case X_POS:
        return load_op(c, node.a);
    case X_CALL:
        return call_op(c, node);
    case X_ARG:
        op.a = operand_op(c, node.a);
        op.b = node.b ? operand_op(c, node.b) : SHAPE_NONE;
        return push_op(c, op);
    default:
        op.a = operand_op(c, node.a);
        op.b = operands > 1 ? operand_op(c, node.b) : 0;
        op.c = operands > 2 ? operand_op(c, node.c) : 0;
        return push_op(c, op);
    }
}

static uint32_t children(XNode node, X child[3])
{
    uint32_t n = 0, operands = shape_operands(node.op);
    if (node.op == X_ARG || operands > 0)
        child[n++] = node.a;
    if (operands > 1 || ((node.op == X_ARG || node.op == X_CALL) && node.b))
        child[n++] = node.b;
    if (operands > 2)
        child[n++] = node.c;
    return n;
}

/* Pushes what x still waits for, the first operand on top; false when there is nothing. */
static bool push_children(Canon *c, XNode node)
{
    X child[3];
    uint32_t before = c->stack.n;
    for (uint32_t i = children(node, child); i-- > 0;)
        if (x_node(c->t->forms, child[i]).op != X_CONST && !map_get(&c->done, child[i]))
            vec_push(c->t->mem, &c->stack, child[i]);
    return c->stack.n > before;
}

static void list_operations(Canon *c, X root)
{
    vec_push(c->t->mem, &c->stack, root);
    while (c->stack.n) {
        X x = vec_last(&c->stack);
        XNode node = canonical(c, x);
        if (!map_get(&c->done, x) && push_children(c, node))
            continue;
        c->stack.n--;
        if (!map_get(&c->done, x))
            map_put(c->t->mem, &c->done, x, node_op(c, node) + 1);
    }
}

/* ---- templates ---- */

void templates_init(Templates *templates, Mem *mem, FormTable *forms)
{
    *templates = (Templates){.mem = mem, .forms = forms};
    arena_init(&templates->arena, mem);
}

void templates_free(Templates *templates)
{
    arena_free(&templates->arena);
    vec_free(templates->mem, &templates->of);
}

static void *keep(Arena *arena, const void *from, size_t n, size_t size)
{
    void *copy = arena_alloc(arena, n * size + 1);
    if (n)
        memcpy(copy, from, n * size);
    return copy;
}

static const Template *finish(Canon *c)
{
    Arena *arena = &c->t->arena;
    Template *t = arena_alloc(arena, sizeof *t);
    t->n_ops = c->ops.n;
    t->n_positions = c->positions.n;
    t->n_constants = c->constants.n;
    t->n_functions = c->functions.n;
    t->ops = keep(arena, c->ops.at, c->ops.n, sizeof *c->ops.at);
    t->positions = keep(arena, c->positions.at, c->positions.n, sizeof *c->positions.at);
    t->constants = keep(arena, c->constants.at, c->constants.n, sizeof *c->constants.at);
    t->functions = keep(arena, c->functions.at, c->functions.n, sizeof *c->functions.at);
    return t;
}

static void canon_free(Canon *c)
{
    Mem *mem = c->t->mem;
    map_free(mem, &c->signature);
    map_free(mem, &c->done);
    vec_free(mem, &c->signatures);
    vec_free(mem, &c->stack);
    vec_free(mem, &c->ops);
    vec_free(mem, &c->positions);
    vec_free(mem, &c->functions);
    vec_free(mem, &c->constants);
}

static const Template *make_template(Templates *templates, X x)
{
    Canon c = {.t = templates};
    uint32_t n;
    X root = x_lower_powers(templates->forms, x);
    X *nodes = x_nodes(templates->forms, templates->mem, 1, &root, &n);
    for (uint32_t i = 0; i < n; i++)
        sign(&c, nodes[i]);
    mem_free(templates->mem, nodes);
    XNode node = x_node(templates->forms, root);
    if (node.op == X_CONST)
        constant_op(&c, node.k);
    else
        list_operations(&c, root);
    const Template *made = finish(&c);
    canon_free(&c);
    return made;
}

const Template *template_of(Templates *templates, X x)
{
    while (templates->of.n <= x)
        vec_push(templates->mem, &templates->of, NULL);
    if (!templates->of.at[x])
        templates->of.at[x] = make_template(templates, x);
    return templates->of.at[x];
}
