/* simplify.c: operator and operands -> the simplest node of the same value. See expr.h.
 *
 * Local rules only, each looks at the operands and at what they are made of, none below that. Minus
 * signs are moved outwards, where they meet and vanish: a sum takes the signs off its operands and
 * becomes a sum, a difference, or minus a sum; a product collects them. So no rule calls itself,
 * and a chain of a hundred thousand minus signs is a loop.
 *
 * Folding gives the bits that evaluation would give; a result that is not finite is left alone, so
 * that 1/0 fails where it is evaluated and not here. What is not exact in all cases: 0*a is 0 and
 * a-a is 0 also when a is infinite or not a number, and the sign of a zero may be lost. */
#include "ddp/expr_int.h"

#include "ddp/apply.h"

/* x without minus signs; *negative changes with each. Negative constants count as signs. */
static X strip_signs(FormTable *table, X x, bool *negative)
{
    XNode node = x_node(table, x);
    while (node.op == X_NEG) {
        *negative = !*negative;
        x = node.a;
        node = x_node(table, x);
    }
    if (node.op == X_CONST && node.k < 0) {
        *negative = !*negative;
        return x_const(table, -node.k);
    }
    return x;
}

/* x or -x, where x has no sign of its own. */
static X with_sign(FormTable *table, X x, bool negative)
{
    XNode node = x_node(table, x);
    if (!negative)
        return x;
    if (node.op == X_CONST)
        return x_const(table, node.k == 0 ? 0 : -node.k);
    if (node.op == X_SUB)
        return x_binary(table, X_SUB, node.b, node.a);
    return x_unary(table, X_NEG, x);
}

static X simple_neg(FormTable *table, X a)
{
    bool negative = true;
    a = strip_signs(table, a, &negative);
    return with_sign(table, a, negative);
}

/* a + b, or a - b when minus is set. */
static X simple_sum(FormTable *table, X a, X b, bool minus)
{
    if (x_is_const(table, b, 0))
        return a;
    if (x_is_const(table, a, 0))
        return minus ? simple_neg(table, b) : b;
    bool na = false, nb = minus;
    a = strip_signs(table, a, &na);
    b = strip_signs(table, b, &nb);
    if (na == nb)
        return with_sign(table, x_binary(table, X_ADD, a, b), na);
    if (a == b)
        return x_const(table, 0);
    return na ? x_binary(table, X_SUB, b, a) : x_binary(table, X_SUB, a, b);
}

static bool is_reciprocal(FormTable *table, X x)
{
    XNode node = x_node(table, x);
    return node.op == X_DIV && x_is_const(table, node.a, 1);
}

static X simple_mul(FormTable *table, X a, X b)
{
    bool negative = false;
    a = strip_signs(table, a, &negative);
    b = strip_signs(table, b, &negative);
    if (x_is_const(table, a, 0) || x_is_const(table, b, 0))
        return x_const(table, 0);
    X product;
    if (x_is_const(table, a, 1))
        product = b;
    else if (x_is_const(table, b, 1))
        product = a;
    else if (is_reciprocal(table, b))
        product = x_binary(table, X_DIV, a, x_node(table, b).b);
    else if (is_reciprocal(table, a))
        product = x_binary(table, X_DIV, b, x_node(table, a).b);
    else
        product = x_binary(table, X_MUL, a, b);
    return with_sign(table, product, negative);
}

/* a / (p/q) = a*q / p */
static X divide_by_quotient(FormTable *table, X a, XNode quotient)
{
    X product = x_is_const(table, a, 1) ? quotient.b : x_binary(table, X_MUL, a, quotient.b);
    return x_is_const(table, quotient.a, 1) ? product : x_binary(table, X_DIV, product, quotient.a);
}

static X simple_div(FormTable *table, X a, X b)
{
    bool negative = false;
    a = strip_signs(table, a, &negative);
    b = strip_signs(table, b, &negative);
    if (x_is_const(table, a, 0) && !x_is_const(table, b, 0))
        return a;
    X quotient;
    if (x_is_const(table, b, 1))
        quotient = a;
    else if (x_node(table, b).op == X_DIV)
        quotient = divide_by_quotient(table, a, x_node(table, b));
    else
        quotient = x_binary(table, X_DIV, a, b);
    return with_sign(table, quotient, negative);
}

static X simple_pow(FormTable *table, X a, X b)
{
    int n;
    if (x_small_exponent(table, b, &n))
        return x_power_as_product(table, a, n);
    return x_binary(table, X_POW, a, b);
}

static X simple_and(FormTable *table, X a, X b)
{
    XNode na = x_node(table, a), nb = x_node(table, b);
    if (na.op == X_CONST)
        return na.k == 0 ? x_const(table, 0) : b;
    if (nb.op == X_CONST)
        return nb.k == 0 ? x_const(table, 0) : a;
    return a == b ? a : x_binary(table, X_AND, a, b);
}

static X simple_or(FormTable *table, X a, X b)
{
    XNode na = x_node(table, a), nb = x_node(table, b);
    if (na.op == X_CONST)
        return na.k != 0 ? x_const(table, 1) : b;
    if (nb.op == X_CONST)
        return nb.k != 0 ? x_const(table, 1) : a;
    return a == b ? a : x_binary(table, X_OR, a, b);
}

/* The constant that op gives for constant operands, or 0. */
static X fold(FormTable *table, XOp op, X a, X b)
{
    XNode na = x_node(table, a), nb = x_node(table, b ? b : a);
    if (na.op != X_CONST || nb.op != X_CONST)
        return 0;
    int n;
    double value;
    if (x_op_is_unary(op))
        value = x_apply_unary(op, na.k);
    else if (op == X_POW && x_small_exponent(table, b, &n))
        value = x_power(na.k, n);
    else
        value = x_apply_binary(op, na.k, nb.k);
    return isfinite(value) ? x_const(table, value == 0 ? 0 : value) : 0;
}

X x_simple(FormTable *table, XOp op, X a, X b)
{
    X constant = fold(table, op, a, b);
    if (constant)
        return constant;
    switch (op) {
    case X_NEG:
        return simple_neg(table, a);
    case X_ADD:
        return simple_sum(table, a, b, false);
    case X_SUB:
        return simple_sum(table, a, b, true);
    case X_MUL:
        return simple_mul(table, a, b);
    case X_DIV:
        return simple_div(table, a, b);
    case X_POW:
        return simple_pow(table, a, b);
    case X_AND:
        return simple_and(table, a, b);
    case X_OR:
        return simple_or(table, a, b);
    default:
        return x_op_is_unary(op) ? x_unary(table, op, a) : x_binary(table, op, a, b);
    }
}

X x_simple_select(FormTable *table, X condition, X yes, X no)
{
    XNode node = x_node(table, condition);
    if (yes == no)
        return yes;
    if (node.op == X_CONST)
        return node.k != 0 ? yes : no;
    return x_select(table, condition, yes, no);
}
