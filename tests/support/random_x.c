/* random_x.c: seed -> expressions. See random_x.h. */
#include "tests/support/random_x.h"

#include "base/map.h"

uint32_t rng_below(Rng *rng, uint32_t limit)
{
    rng->state += 0x9e3779b97f4a7c15u;
    return (uint32_t)(hash_u64(rng->state) >> 33) % limit;
}

double rng_real(Rng *rng, double low, double high)
{
    return low + (high - low) * (rng_below(rng, 1u << 30) / (double)(1u << 30));
}

static X random_leaf(FormTable *table, Rng *rng, RandomKind kind, uint32_t n)
{
    static const double special[] = {0, 1, 2, 3, 0.5, 16, 17, 1e300};
    uint32_t pick = rng_below(rng, 8);
    if (pick < 5)
        return x_pos(table, rng_below(rng, n));
    if (pick < 6 && kind != RANDOM_SMOOTH)
        return x_const(table, special[rng_below(rng, 8)]);
    return x_const(table, rng_real(rng, kind == RANDOM_TEXT ? 0 : -3, 3));
}

/* An operand: mostly one of the last few nodes, else any, else a new leaf. */
static X operand(FormTable *table, Rng *rng, RandomKind kind, uint32_t n, const X *pool,
                 uint32_t used)
{
    uint32_t pick = rng_below(rng, 4);
    if (used == 0 || pick == 0)
        return random_leaf(table, rng, kind, n);
    if (pick == 1)
        return pool[rng_below(rng, used)];
    uint32_t recent = used < 3 ? used : 3;
    return pool[used - 1 - rng_below(rng, recent)];
}

/* a op b or op(a), bounded: 1/(2 + sin b) instead of 1/b, and so on. */
static X smooth_node(FormTable *table, Rng *rng, X a, X b)
{
    static const XOp unary[] = {X_NEG, X_SIN, X_COS, X_ATAN, X_TANH};
    static const XOp binary[] = {X_ADD, X_SUB, X_MUL};
    X two = x_binary(table, X_ADD, x_const(table, 2), x_unary(table, X_SIN, b));
    switch (rng_below(rng, 8)) {
    case 0:
        return x_binary(table, X_DIV, a, two);
    case 1:
        return x_binary(table, X_POW, two, x_unary(table, X_SIN, a));
    case 2:
        return x_binary(table, X_POW, x_unary(table, X_SIN, a), x_const(table, rng_below(rng, 5)));
    case 3:
        return x_unary(table, X_LOG, two);
    case 4:
    case 5:
        return x_unary(table, unary[rng_below(rng, 5)], a);
    default:
        return x_binary(table, binary[rng_below(rng, 3)], a, b);
    }
}

static X any_node(FormTable *table, Rng *rng, X a, X b, X c, uint32_t function)
{
    uint32_t pick = rng_below(rng, 16);
    if (pick == 0)
        return x_select(table, a, b, c);
    if (pick == 1 && function)
        return x_call(table, function, 1 + rng_below(rng, 3), (X[]){a, b, c});
    if (pick < 6)
        return x_unary(table, X_NEG + rng_below(rng, X_ROUND - X_NEG + 1), a);
    if (pick < 11)
        return x_binary(table, X_ADD + rng_below(rng, X_POW - X_ADD + 1), a, b);
    return x_binary(table, X_ADD + rng_below(rng, X_OR - X_ADD + 1), a, b);
}

X random_x(FormTable *table, Rng *rng, RandomKind kind, uint32_t size, uint32_t n,
           uint32_t function)
{
    X pool[256];
    uint32_t used = 0;
    if (size > 256)
        size = 256;
    while (used < size) {
        X a = operand(table, rng, kind, n, pool, used);
        X b = operand(table, rng, kind, n, pool, used);
        X c = operand(table, rng, kind, n, pool, used);
        pool[used++] = kind == RANDOM_SMOOTH ? smooth_node(table, rng, a, b)
                                             : any_node(table, rng, a, b, c, function);
    }
    return used ? pool[used - 1] : random_leaf(table, rng, kind, n);
}
