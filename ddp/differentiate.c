/* differentiate.c: expression -> its derivative, equation -> the equation differentiated by time.
 *
 * One pass over the nodes, operands first, that keeps the derivative of each: the chain rule node
 * by node. Since nodes are shared, the derivative has a small multiple of the nodes of the
 * expression (it refers to the undifferentiated nodes, it does not copy them). 0 stands for a
 * derivative that vanishes, so that linear equations stay free of what was not differentiated.
 *
 * Where a function has no derivative (abs at 0, min and max where both are equal) the derivative is
 * that of the branch which evaluation takes there. Steps (sign, floor, comparisons) have derivative
 * 0: where they jump there is an event. */
#include "ddp/expr_int.h"

#include "ddp/apply.h"

#include <string.h>

/* By what to differentiate: by a position, or by time. */
typedef struct Seeds {
    uint32_t position;         /* kinds NULL: by this position */
    const PositionKind *kinds; /* else by time; kinds[p] says how position p behaves, */
    uint32_t n;                /*   and n + p is the position of its derivative */
} Seeds;

/* The pass: its walk keeps the derivatives in walk->first. */
typedef struct Pass {
    FormTable *table;
    XWalk *walk;
    const Seeds *seeds;
} Pass;

static X derivative_of(const Pass *p, X operand)
{
    return p->walk->first.at[p->walk->place[operand]];
}

/* x, or 0 when x is a constant zero. */
static X or_none(const Pass *p, X x)
{
    return x && x_is_const(p->table, x, 0) ? 0 : x;
}

static X or_zero(const Pass *p, X d)
{
    return d ? d : x_const(p->table, 0);
}

/* Simplified operators, where a derivative and whatever it makes 0 may be 0 (none). */
static X times(const Pass *p, X x, X y)
{
    return x && y ? or_none(p, x_simple(p->table, X_MUL, x, y)) : 0;
}

static X over(const Pass *p, X d, X x)
{
    return d ? or_none(p, x_simple(p->table, X_DIV, d, x)) : 0;
}

static X minus(const Pass *p, X d)
{
    return d ? or_none(p, x_simple(p->table, X_NEG, d, 0)) : 0;
}

static X sum(const Pass *p, XOp op, X d, X e)
{
    if (!d)
        return op == X_ADD ? e : minus(p, e);
    return e ? or_none(p, x_simple(p->table, op, d, e)) : d;
}

static X number(const Pass *p, double k)
{
    return x_const(p->table, k);
}

static X simple(const Pass *p, XOp op, X a, X b)
{
    return x_simple(p->table, op, a, b);
}

static X choose(const Pass *p, X condition, X d, X e)
{
    if (!d && !e)
        return 0;
    return or_none(p, x_simple_select(p->table, condition, or_zero(p, d), or_zero(p, e)));
}

static X position_derivative(const Pass *p, uint32_t position)
{
    const Seeds *seeds = p->seeds;
    if (!seeds->kinds)
        return position == seeds->position ? number(p, 1) : 0;
    if (seeds->kinds[position] == POSITION_TIME)
        return number(p, 1);
    return seeds->kinds[position] == POSITION_VARIES ? x_pos(p->table, seeds->n + position) : 0;
}

/* The algebra of functions.h, over expressions of which some are 0 (none). */
#define NEG(x) minus(p, x)
#define ADD(x, y) sum(p, X_ADD, x, y)
#define SUB(x, y) sum(p, X_SUB, x, y)
#define MUL(x, y) times(p, x, y)
#define DIV(x, y) over(p, x, y)
#define SQRT(x) simple(p, X_SQRT, x, 0)
#define FLOOR(x) simple(p, X_FLOOR, x, 0)
#define K(k) number(p, k)
#define F(NAME, x) simple(p, X_##NAME, x, 0)
#define IF(OP, x, y, yes, no) choose(p, simple(p, X_##OP, x, y), yes, no)
#define UNLESS_0(e, d, x) (x)
#define STEPS 0

#define LIBM(NAME, function, type, slope)                                                          \
    case X_##NAME:                                                                                 \
        return slope;
#define OWN(NAME, function, type, value, slope)                                                    \
    case X_##NAME:                                                                                 \
        return slope;

/* v = op(a) */
static X unary_derivative(const Pass *p, X v, XOp op, X a)
{
    X d = derivative_of(p, a);
    if (!d)
        return 0;
    switch (op) {
    case X_NEG:
        return minus(p, d);
        X_FUNCTIONS_OF_ONE(LIBM, OWN)
    default: /* not */
        return 0;
    }
}

/* da/dt of a^b by its base: b*a^(b-1) * d. For an exponent that may be 0 at run time, 0*a^(-1) must
 * not be evaluated at a = 0. */
static X power_by_base(const Pass *p, X a, X b, X d)
{
    X less = simple(p, X_SUB, b, number(p, 1));
    X slope = simple(p, X_MUL, b, simple(p, X_POW, a, less));
    if (x_node(p->table, b).op != X_CONST) {
        X zero = number(p, 0);
        slope = x_simple_select(p->table, simple(p, X_EQ, b, zero), zero, slope);
    }
    return times(p, slope, d);
}

/* x = a^b. By the exponent: x*log(a) * e, whose limit at a = 0 is 0 wherever a power exists. */
static X power_derivative(const Pass *p, X x, X a, X b)
{
    X d = derivative_of(p, a), e = derivative_of(p, b);
    int n;
    X by_base = 0, by_exponent = 0;
    if (d && x_small_exponent(p->table, b, &n))
        by_base = power_by_base(p, a, number(p, n), d);
    else if (d)
        by_base = power_by_base(p, a, b, d);
    if (e) {
        X zero = number(p, 0);
        X slope = simple(p, X_MUL, x, simple(p, X_LOG, a, 0));
        slope = x_simple_select(p->table, simple(p, X_EQ, a, zero), zero, slope);
        by_exponent = times(p, slope, e);
    }
    return sum(p, X_ADD, by_base, by_exponent);
}

static X product_derivative(const Pass *p, X a, X b)
{
    X d = derivative_of(p, a), e = derivative_of(p, b);
    if (a == b)
        return times(p, simple(p, X_MUL, number(p, 2), a), d);
    return sum(p, X_ADD, times(p, b, d), times(p, a, e));
}

#undef LIBM
#undef OWN
#define LIBM(NAME, function, type, first, second, slope)                                           \
    case X_##NAME:                                                                                 \
        return slope;
#define OWN(NAME, function, type, first, second, value, slope)                                     \
    case X_##NAME:                                                                                 \
        return slope;

/* v = a op b */
static X binary_derivative(const Pass *p, X v, XOp op, X a, X b)
{
    X d = derivative_of(p, a), e = derivative_of(p, b);
    if (!d && !e)
        return 0;
    switch (op) {
    case X_ADD:
    case X_SUB:
        return sum(p, op, d, e);
    case X_MUL:
        return product_derivative(p, a, b);
    case X_DIV:
        return over(p, sum(p, X_SUB, d, times(p, v, e)), b);
    case X_POW:
        return power_derivative(p, v, a, b);
        X_FUNCTIONS_OF_TWO(LIBM, OWN)
    default: /* comparisons, and, or */
        return 0;
    }
}

/* The sum over the arguments of (call of the derivative by that argument) * (its derivative). */
static X call_derivative(const Pass *p, XNode call)
{
    FormTable *table = p->table;
    uint32_t n = 0;
    for (X list = call.b; list; list = x_node(table, list).b)
        n++;
    X total = 0;
    uint32_t which = 0;
    VEC(X) args = {0};
    vec_reserve(table->mem, &args, n + 1);
    for (X list = call.b; list; list = x_node(table, list).b)
        args.at[n - ++args.n] = x_node(table, list).a;
    for (; which < n; which++) {
        X d = derivative_of(p, args.at[which]);
        if (!d)
            continue;
        uint32_t slope = x_call_partial(table, call.a, which);
        total = sum(p, X_ADD, total, times(p, x_call(table, slope, n, args.at), d));
    }
    vec_free(table->mem, &args);
    return total;
}

static X node_derivative(const Pass *p, X x)
{
    XNode node = x_node(p->table, x);
    switch (node.op) {
    case X_CONST:
    case X_ARG:
        return 0;
    case X_POS:
        return position_derivative(p, node.a);
    case X_SELECT:
        return choose(p, node.a, derivative_of(p, node.b), derivative_of(p, node.c));
    case X_CALL:
        return call_derivative(p, node);
    default:
        if (x_op_is_unary(node.op))
            return unary_derivative(p, x, node.op, node.a);
        return binary_derivative(p, x, node.op, node.a, node.b);
    }
}

static X differentiate(FormTable *table, X x, const Seeds *seeds)
{
    XWalk *walk = xwalk_begin(table, 1, &x);
    Pass pass = {table, walk, seeds};
    vec_reserve(table->mem, &walk->first, walk->order.n);
    for (uint32_t i = 0; i < walk->order.n; i++)
        walk->first.at[i] = node_derivative(&pass, walk->order.at[i]);
    X result = or_zero(&pass, walk->first.at[walk->order.n - 1]);
    xwalk_end(table, walk);
    return result;
}

X x_partial(FormTable *table, X x, uint32_t position)
{
    return differentiate(table, x, &(Seeds){.position = position});
}

/* ---- equations ---- */

/* Numbers the positions that occur below both sides from 0 on, in ascending order: map[old] = new.
 * Returns how many there are; operands[new] says what each stands for. */
static uint32_t number_operands(FormTable *table, const X side[2], uint32_t n, uint32_t *map,
                                FormOperand *operands)
{
    uint32_t count = 0;
    XWalk *walk = xwalk_begin(table, 2, side);
    for (uint32_t i = 0; i < walk->order.n; i++) {
        XNode node = x_node(table, walk->order.at[i]);
        if (node.op == X_POS)
            map[node.a] = 1;
    }
    xwalk_end(table, walk);
    for (uint32_t old = 0; old < 2 * n; old++) {
        if (!map[old])
            continue;
        operands[count] = (FormOperand){old < n ? old : old - n, old >= n};
        map[old] = count++;
    }
    return count;
}

static DerivativeEntry derivative_make(FormTable *table, Form form, const PositionKind *kinds)
{
    FormEntry entry = table->forms.at[form];
    Seeds seeds = {.kinds = kinds, .n = entry.n};
    X side[2] = {differentiate(table, entry.lhs, &seeds), differentiate(table, entry.rhs, &seeds)};
    size_t room = 2 * (size_t)entry.n + 1;
    uint32_t *map = mem_alloc(table->mem, room * sizeof *map);
    FormOperand *operands = mem_alloc(table->mem, room * sizeof *operands);
    uint32_t n = number_operands(table, side, entry.n, map, operands);
    X lhs = x_rename(table, side[0], map), rhs = x_rename(table, side[1], map);
    DerivativeEntry made = {.form = form, .result = form_make(table, lhs, rhs, n)};
    FormOperand *kept = arena_alloc(&table->arena, (n + 1) * sizeof *kept);
    memcpy(kept, operands, n * sizeof *kept);
    uint8_t *kept_kinds = arena_alloc(&table->arena, (size_t)entry.n + 1);
    for (uint32_t i = 0; i < entry.n; i++)
        kept_kinds[i] = (uint8_t)kinds[i];
    made.operands = kept;
    made.n_operands = n;
    made.kinds = kept_kinds;
    made.n_kinds = entry.n;
    mem_free(table->mem, map);
    mem_free(table->mem, operands);
    return made;
}

/* A question that was asked: a form with kinds for its positions. */
typedef struct Question {
    Form form;
    const PositionKind *kinds;
} Question;

static uint64_t hash_step(uint64_t h, unsigned kind)
{
    return hash_u64(h ^ kind) + 0x9e3779b97f4a7c15u;
}

static uint64_t derivative_rehash(const FormTable *table, uint32_t stored)
{
    const DerivativeEntry *entry = &table->derivatives.at[stored];
    uint64_t h = hash_u64(entry->form);
    for (uint32_t i = 0; i < entry->n_kinds; i++)
        h = hash_step(h, entry->kinds[i]);
    return h;
}

static bool derivative_same(const FormTable *table, uint32_t stored, const void *wanted)
{
    const DerivativeEntry *entry = &table->derivatives.at[stored];
    const Question *question = wanted;
    if (entry->form != question->form)
        return false;
    for (uint32_t i = 0; i < entry->n_kinds; i++)
        if (entry->kinds[i] != (unsigned)question->kinds[i])
            return false;
    return true;
}

/* Remembered by form and kinds: a thousand pendulums ask the same. */
Form form_derivative(FormTable *table, Form form, const PositionKind *kinds, FormOperand *operands,
                     uint32_t *n)
{
    Question question = {form, kinds};
    uint64_t h = hash_u64(form);
    for (uint32_t i = 0; i < table->forms.at[form].n; i++)
        h = hash_step(h, kinds[i]);
    xindex_reserve(table, &table->derivative_index, derivative_rehash);
    uint32_t *slot = xindex_find(table, &table->derivative_index, h, derivative_same, &question);
    if (!*slot) {
        DerivativeEntry made = derivative_make(table, form, kinds);
        uint32_t stored = table->derivatives.n;
        vec_push(table->mem, &table->derivatives, made);
        table->derivative_index.n++;
        *slot = stored;
    }
    const DerivativeEntry *entry = &table->derivatives.at[*slot];
    memcpy(operands, entry->operands, entry->n_operands * sizeof *operands);
    *n = entry->n_operands;
    return entry->result;
}
