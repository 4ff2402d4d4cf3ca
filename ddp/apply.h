/* apply.h: operator and operand values -> value, and its slope. The one definition of what the
 * operators compute; x_value, constant folding and the interpreter share it, so they agree bit for
 * bit. Files that include it must be compiled without contraction of a*b+c (-ffp-contract=off). */
#ifndef DDP_APPLY_H
#define DDP_APPLY_H

#include "ddp/expr.h"

#include <math.h>

enum { X_POWER_LIMIT = 16 }; /* integer exponents up to this are multiplied out */

/* a^n for |n| <= X_POWER_LIMIT: squares from the lowest bit of n up, the factors multiplied in that
 * order; a negative power is the reciprocal of the positive one. x_lower_powers builds the same. */
static inline double x_power(double a, int n)
{
    double square = a, product = 1;
    bool first = true;
    for (int m = n < 0 ? -n : n; m; m >>= 1) {
        if (m & 1) {
            product = first ? square : product * square;
            first = false;
        }
        square = m > 1 ? square * square : square;
    }
    return n < 0 ? 1 / product : product;
}

/* The algebra of functions.h, over numbers. */
#define NEG(x) (-(x))
#define ADD(x, y) ((x) + (y))
#define SUB(x, y) ((x) - (y))
#define MUL(x, y) ((x) * (y))
#define DIV(x, y) ((x) / (y))
#define SQRT(x) sqrt(x)
#define ABS(x) fabs(x)
#define FLOOR(x) floor(x)
#define CEIL(x) ceil(x)
#define K(k) (k)
#define F(NAME, x) x_apply_unary(X_##NAME, (x))
#define HOLDS_LT(x, y) ((x) < (y))
#define HOLDS_GT(x, y) ((x) > (y))
#define HOLDS_GE(x, y) ((x) >= (y))
#define IS(OP, x, y) (double)HOLDS_##OP(x, y)
#define IF(OP, x, y, yes, no) (HOLDS_##OP(x, y) ? (yes) : (no))
#define UNLESS_0(e, d, x) ((e) == 0 ? (d) : (x))
#define STEPS 0

#define LIBM_VALUE(NAME, function, ...)                                                            \
    case X_##NAME:                                                                                 \
        return function(a);
#define OWN_VALUE(NAME, function, type, value, slope)                                              \
    case X_##NAME:                                                                                 \
        return value;

static inline double x_apply_unary(unsigned op, double a)
{
    switch (op) {
    case X_NEG:
        return -a;
    case X_NOT:
        return a == 0;
        X_FUNCTIONS_OF_ONE(LIBM_VALUE, OWN_VALUE)
    default:
        return NAN;
    }
}

#define LIBM_SLOPE(NAME, function, type, slope)                                                    \
    case X_##NAME:                                                                                 \
        return slope;
#define OWN_SLOPE(NAME, function, type, value, slope)                                              \
    case X_##NAME:                                                                                 \
        return slope;

/* The slope of v = op(a), times d. Where nothing moves it is 0, even if the slope is infinite. */
static inline double x_slope_unary(unsigned op, double a, double v, double d)
{
    if (d == 0)
        return 0;
    switch (op) {
    case X_NEG:
        return -d;
        X_FUNCTIONS_OF_ONE(LIBM_SLOPE, OWN_SLOPE)
    default: /* not */
        return 0;
    }
}

#undef LIBM_VALUE
#undef OWN_VALUE
#undef LIBM_SLOPE
#undef OWN_SLOPE
#define LIBM_VALUE(NAME, function, ...)                                                            \
    case X_##NAME:                                                                                 \
        return function(a, b);
#define OWN_VALUE(NAME, function, type, first, second, value, slope)                               \
    case X_##NAME:                                                                                 \
        return value;

static inline double x_apply_binary(unsigned op, double a, double b)
{
    switch (op) {
    case X_ADD:
        return a + b;
    case X_SUB:
        return a - b;
    case X_MUL:
        return a * b;
    case X_DIV:
        return a / b;
    case X_POW:
        return pow(a, b);
        X_FUNCTIONS_OF_TWO(LIBM_VALUE, OWN_VALUE)
    case X_LT:
        return a < b;
    case X_LE:
        return a <= b;
    case X_EQ:
        return a == b;
    case X_NE:
        return a != b;
    case X_GE:
        return a >= b;
    case X_GT:
        return a > b;
    case X_AND:
        return a != 0 && b != 0;
    case X_OR:
        return a != 0 || b != 0;
    default:
        return NAN;
    }
}

static inline double x_slope_power(double a, double b, double v, double d, double e)
{
    double by_base = 0, by_exponent = 0;
    if (d != 0 && b != 0)
        by_base = b * pow(a, b - 1) * d;
    if (e != 0 && a != 0)
        by_exponent = v * log(a) * e;
    return by_base + by_exponent;
}

#define LIBM_SLOPE(NAME, function, type, first, second, slope)                                     \
    case X_##NAME:                                                                                 \
        return slope;
#define OWN_SLOPE(NAME, function, type, first, second, value, slope)                               \
    case X_##NAME:                                                                                 \
        return slope;

/* The slope of v = a op b in direction (d, e). */
static inline double x_slope_binary(unsigned op, double a, double b, double v, double d, double e)
{
    if (d == 0 && e == 0)
        return 0;
    switch (op) {
    case X_ADD:
        return d + e;
    case X_SUB:
        return d - e;
    case X_MUL:
        return b * d + a * e;
    case X_DIV:
        return (d - v * e) / b;
    case X_POW:
        return x_slope_power(a, b, v, d, e);
        X_FUNCTIONS_OF_TWO(LIBM_SLOPE, OWN_SLOPE)
    default: /* comparisons, and, or */
        return 0;
    }
}

#undef LIBM_VALUE
#undef OWN_VALUE
#undef LIBM_SLOPE
#undef OWN_SLOPE
#undef NEG
#undef ADD
#undef SUB
#undef MUL
#undef DIV
#undef SQRT
#undef ABS
#undef FLOOR
#undef CEIL
#undef K
#undef F
#undef HOLDS_LT
#undef HOLDS_GT
#undef HOLDS_GE
#undef IS
#undef IF
#undef UNLESS_0
#undef STEPS

static inline bool x_op_is_unary(unsigned op)
{
    return op >= X_NEG && op <= X_ROUND;
}

static inline bool x_op_is_binary(unsigned op)
{
    return op >= X_ADD && op <= X_OR;
}

#endif
