/* shape.c: assignments over variables -> operations over slots. See shape.h.
 *
 * Reducing a block goes in two steps, so that the frequent case is cheap:
 *   1. Each expression is put in canonical order once (template.c): operations, the positions in
 *      the order they are loaded, constants.
 *   2. A block is a list of expressions and of which of their positions mean the same variable.
 * This list of small numbers is its *pattern*, found in a hash table; only a new pattern is written
 * out as operations. So a block of known kind costs one look at each of its positions. Patterns
 * differ where expressions differ in constants or in order; their shapes may be the same, which the
 * table of shapes finds out by content.
 *
 * Invariants of a shape
 *   K1  operands come before their users.
 *   K5  an operation SHAPE_CALLEE stands right before the call that it describes.
 *   K2  slots and constants are numbered in the order of first use, without gaps, except that all
 * slots of one item's operations come before the slot of its target. S3  no value is loaded from a
 * slot that the shape has stored before: the stored value is used. S4  every call's function and
 * derivatives have slots of their own, used by nothing else.
 */
#include "jit/shape_int.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEFAULT_LIMIT = 32 << 20 };

Shapes *shapes_open(Mem *mem, FormTable *forms)
{
    Shapes *shapes = mem_alloc(mem, sizeof *shapes);
    shapes->mem = mem;
    shapes->forms = forms;
    shapes->limit = DEFAULT_LIMIT;
    templates_init(&shapes->templates, mem, forms);
    vec_push(mem, &shapes->patterns, NULL);
    vec_push(mem, &shapes->shapes, NULL);
    return shapes;
}

void shapes_close(Shapes *shapes)
{
    if (!shapes)
        return;
    Mem *mem = shapes->mem;
    templates_free(&shapes->templates);
    shape_table_free(shapes);
    vec_free(mem, &shapes->marks);
    vec_free(mem, &shapes->slots);
    vec_free(mem, &shapes->key);
    mem_free(mem, shapes);
}

void shapes_callees(Shapes *shapes, ShapeCallees callees, void *context)
{
    shapes->templates.callees = callees;
    shapes->templates.context = context;
}

ShapeTotals shape_totals(const Shapes *shapes)
{
    ShapeTotals totals = shapes->totals;
    totals.bytes = shapes->bytes + shapes->templates.arena.used;
    totals.bytes += shapes->patterns.cap * sizeof *shapes->patterns.at;
    totals.bytes += shapes->marks.cap * sizeof *shapes->marks.at;
    return totals;
}

/* ---- slots and pattern of a block ---- */

static void next_epoch(Shapes *s)
{
    vec_clear(&s->slots);
    vec_clear(&s->key);
    if (++s->epoch == 0) { /* wrapped around: marks of four billion blocks ago are no marks */
        memset(s->marks.at, 0, s->marks.n * sizeof *s->marks.at);
        s->epoch = 1;
    }
}

static uint32_t slot_of(Shapes *s, uint32_t var)
{
    if (var >= s->marks.n) {
        vec_reserve(s->mem, &s->marks, var + 1);
        memset(s->marks.at + s->marks.n, 0, (s->marks.cap - s->marks.n) * sizeof *s->marks.at);
        s->marks.n = s->marks.cap;
    }
    SlotMark *mark = &s->marks.at[var];
    if (mark->epoch != s->epoch) {
        *mark = (SlotMark){s->epoch, s->slots.n};
        vec_push(s->mem, &s->slots, var);
    }
    return mark->slot;
}

/* Key of an item: the expression, the slot of each of its positions, the slot of its target. */
static void note_item(Shapes *s, const ShapeItem *item, const Template *t, const uint32_t *origin)
{
    vec_push(s->mem, &s->key, item->value);
    for (uint32_t i = 0; i < t->n_positions; i++) {
        uint32_t var = item->vars[t->positions[i]];
        vec_push(s->mem, &s->key, slot_of(s, origin ? origin[var] : var));
    }
    for (uint32_t i = 0; i < t->n_functions; i++)
        vec_push(s->mem, &s->slots, t->functions[i]);
    vec_push(s->mem, &s->key, slot_of(s, item->target));
}

/* ---- a new pattern: its operations ---- */

typedef struct Writer {
    Shapes *s;
    VEC(ShapeOp) ops;
    VEC(double) constants;
    VEC(uint32_t) local;    /* operation of the template -> operation of the shape */
    VEC(uint32_t) value_of; /* slot -> operation that has its value, or SHAPE_NONE */
    uint32_t n_slots;
} Writer;

static uint32_t push_op(Writer *w, ShapeOp op)
{
    vec_push(w->s->mem, &w->ops, op);
    return w->ops.n - 1;
}

static uint32_t *slot_value(Writer *w, uint32_t slot)
{
    while (w->value_of.n <= slot)
        vec_push(w->s->mem, &w->value_of, SHAPE_NONE);
    return &w->value_of.at[slot];
}

static uint32_t load_slot(Writer *w, uint32_t slot)
{
    uint32_t *value = slot_value(w, slot);
    if (*value == SHAPE_NONE)
        *value = push_op(w, (ShapeOp){.op = SHAPE_LOAD, .a = slot});
    return *value;
}

static uint32_t local_op(const Writer *w, uint32_t operand)
{
    return operand == SHAPE_NONE ? SHAPE_NONE : w->local.at[operand];
}

/* first: the slot of the template's first function; slots: of its positions */
static uint32_t write_op(Writer *w, const Template *t, ShapeOp op, const uint32_t *slots,
                         uint32_t first)
{
    switch (op.op) {
    case SHAPE_LOAD:
        return load_slot(w, slots[op.a]);
    case SHAPE_CONSTANT:
        vec_push(w->s->mem, &w->constants, t->constants[op.a]);
        op.a = w->constants.n - 1;
        break;
    case SHAPE_CALLEE:
        break;
    case X_CALL:
        op.a += first;
        op.b = local_op(w, op.b);
        break;
    case X_ARG:
        op.a = local_op(w, op.a);
        op.b = local_op(w, op.b);
        break;
    default:
        op.a = local_op(w, op.a);
        op.b = shape_operands(op.op) > 1 ? local_op(w, op.b) : 0;
        op.c = shape_operands(op.op) > 2 ? local_op(w, op.c) : 0;
    }
    return push_op(w, op);
}

static void write_item(Writer *w, const Template *t, const uint32_t *slots, uint32_t target)
{
    uint32_t first = w->n_slots;
    for (uint32_t i = 0; i < t->n_positions; i++)
        first = slots[i] >= first ? slots[i] + 1 : first;
    w->n_slots = first + t->n_functions;
    vec_clear(&w->local);
    for (uint32_t i = 0; i < t->n_ops; i++) {
        uint32_t op = write_op(w, t, t->ops[i], slots, first);
        vec_push(w->s->mem, &w->local, op);
    }
    uint32_t value = w->local.at[t->n_ops - 1];
    push_op(w, (ShapeOp){.op = SHAPE_STORE, .a = target, .b = value});
    *slot_value(w, target) = value;
    w->n_slots = target >= w->n_slots ? target + 1 : w->n_slots;
}

static Pattern *write_pattern(Shapes *s, uint64_t hash, uint32_t n, const ShapeItem *items)
{
    Writer w = {.s = s};
    const uint32_t *key = s->key.at;
    for (uint32_t i = 0; i < n; i++) {
        const Template *t = template_of(&s->templates, items[i].value);
        write_item(&w, t, key + 1, key[1 + t->n_positions]);
        key += t->n_positions + 2;
    }
    Shape shape = {
        .n_ops = w.ops.n, .n_slots = s->slots.n, .n_constants = w.constants.n, .ops = w.ops.at};
    shape_hash(&shape);
#ifdef SOLSTICE_VERIFY
    shape_verify(&shape);
#endif
    Pattern *pattern = shape_table_add(s, hash, &shape, w.constants.at);
    vec_free(s->mem, &w.ops);
    vec_free(s->mem, &w.constants);
    vec_free(s->mem, &w.local);
    vec_free(s->mem, &w.value_of);
    return pattern;
}

ShapeUse shape_of(Shapes *s, uint32_t n, const ShapeItem *items, const uint32_t *origin)
{
    next_epoch(s);
    for (uint32_t i = 0; i < n; i++)
        note_item(s, &items[i], template_of(&s->templates, items[i].value), origin);
    uint64_t hash = hash_bytes(s->key.at, s->key.n * sizeof *s->key.at, n);
    const Pattern *pattern = shape_table_find(s, hash);
    if (!pattern)
        pattern = write_pattern(s, hash, n, items);
    return (ShapeUse){&pattern->known->shape, pattern->constants, s->slots.at, pattern->id};
}

/* ---- shapes as such ---- */

enum { TYPE_BITS = 3, TYPES_PER_WORD = 10 }; /* the two of them in b and c */

/* a: type of the result, then two bits. b, c: types of the arguments, three bits each. */
ShapeOp shape_callee_op(const ShapeCallee *callee)
{
    uint32_t words[2] = {0};
    for (uint32_t i = 0; i < SHAPE_DIRECT_ARGS; i++)
        words[i / TYPES_PER_WORD] |= (uint32_t)callee->in[i] << i % TYPES_PER_WORD * TYPE_BITS;
    return (ShapeOp){.op = SHAPE_CALLEE,
                     .a = (uint32_t)callee->out | (uint32_t)callee->has_which << TYPE_BITS |
                          (uint32_t)callee->derivative << (TYPE_BITS + 1),
                     .b = words[0],
                     .c = words[1]};
}

ShapeCallee shape_callee(ShapeOp op)
{
    enum { MASK = (1 << TYPE_BITS) - 1 };
    ShapeCallee callee = {.out = op.a & MASK,
                          .has_which = op.a >> TYPE_BITS & 1,
                          .derivative = op.a >> (TYPE_BITS + 1) & 1};
    for (uint32_t i = 0; i < SHAPE_DIRECT_ARGS; i++) {
        uint32_t word = i < TYPES_PER_WORD ? op.b : op.c;
        callee.in[i] = word >> i % TYPES_PER_WORD * TYPE_BITS & MASK;
    }
    return callee;
}

void shape_hash(Shape *shape)
{
    size_t bytes = shape->n_ops * sizeof *shape->ops;
    shape->hash[0] = hash_bytes(shape->ops, bytes, 0x736f6c7374696365u);
    shape->hash[1] = hash_bytes(shape->ops, bytes, 0x6a69742f73686170u);
}

bool shape_same(const Shape *a, const Shape *b)
{
    return a->hash[0] == b->hash[0] && a->hash[1] == b->hash[1] && a->n_ops == b->n_ops &&
           a->n_slots == b->n_slots && a->n_constants == b->n_constants &&
           memcmp(a->ops, b->ops, a->n_ops * sizeof *a->ops) == 0;
}

static void require(bool holds, const char *invariant, uint32_t at)
{
    if (holds)
        return;
    fprintf(stderr, "solstice: shape, operation %u: invariant %s is broken\n", at, invariant);
    abort();
}

static void verify_operands(const Shape *shape, uint32_t at)
{
    ShapeOp op = shape->ops[at];
    switch (op.op) {
    case SHAPE_LOAD:
        require(op.a < shape->n_slots, "K2", at);
        for (uint32_t i = 0; i < at; i++)
            require(shape->ops[i].op != SHAPE_STORE || shape->ops[i].a != op.a, "K3", at);
        break;
    case SHAPE_CONSTANT:
        require(op.a < shape->n_constants, "K2", at);
        break;
    case SHAPE_STORE:
        require(op.a < shape->n_slots && op.b < at, "K1", at);
        break;
    case X_CALL:
        require(op.a + op.c < shape->n_slots, "K4", at);
        require(op.c ? op.b < at : op.b == SHAPE_NONE, "K1", at);
        break;
    case SHAPE_CALLEE:
        require(at + 1 < shape->n_ops && shape->ops[at + 1].op == X_CALL, "K5", at);
        break;
    case X_ARG:
        require(op.a < at && (op.b < at || op.b == SHAPE_NONE), "K1", at);
        break;
    default:
        require(shape_operands(op.op) > 0 && op.a < at && (!op.b || op.b < at) &&
                    (!op.c || op.c < at),
                "K1", at);
    }
}

void shape_verify(const Shape *shape)
{
    uint32_t constants = 0;
    for (uint32_t i = 0; i < shape->n_ops; i++) {
        verify_operands(shape, i);
        if (shape->ops[i].op == SHAPE_CONSTANT)
            require(shape->ops[i].a == constants++, "K2", i);
    }
    require(constants == shape->n_constants, "K2", shape->n_ops);
}
