/* apply.h: operator and operand values -> value. The one definition of what the operators compute;
 * x_value, constant folding and the interpreter share it, so they agree bit for bit. Files that
 * include it must be compiled without contraction of a*b+c (-ffp-contract=off). */
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

static inline double x_apply_unary(unsigned op, double a)
{
    switch (op) {
    case X_NEG:
        return -a;
    case X_NOT:
        return a == 0;
    case X_SIN:
        return sin(a);
    case X_COS:
        return cos(a);
    case X_TAN:
        return tan(a);
    case X_ASIN:
        return asin(a);
    case X_ACOS:
        return acos(a);
    case X_ATAN:
        return atan(a);
    case X_SINH:
        return sinh(a);
    case X_COSH:
        return cosh(a);
    case X_TANH:
        return tanh(a);
    case X_EXP:
        return exp(a);
    case X_LOG:
        return log(a);
    case X_LOG10:
        return log10(a);
    case X_SQRT:
        return sqrt(a);
    case X_ABS:
        return fabs(a);
    case X_SIGN:
        return (a > 0) - (a < 0);
    case X_FLOOR:
        return floor(a);
    case X_CEIL:
        return ceil(a);
    case X_ROUND:
        return round(a);
    default:
        return NAN;
    }
}

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
    case X_ATAN2:
        return atan2(a, b);
    case X_MIN:
        return b < a ? b : a;
    case X_MAX:
        return b > a ? b : a;
    case X_MOD:
        return a - b * floor(a / b);
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

static inline bool x_op_is_unary(unsigned op)
{
    return op >= X_NEG && op <= X_ROUND;
}

static inline bool x_op_is_binary(unsigned op)
{
    return op >= X_ADD && op <= X_OR;
}

#endif
