/* clock_range.c: an expression of the clock, a stretch of time -> between which values it lies, and how fast it moves. Interval arithmetic.
 *
 * Looks at points never see what lies between them; a range knows it: 'sin(50*time)^200 > 0.9' cannot become true while 50*time goes
 * from 0.2 to 1.2. What is too wide says nothing and is divided (event/clock_change.c). Each result is widened by rounding. A variable
 * that occurs twice counts as two, except in squares, so ranges may be wider than need be, never narrower. Slopes are those of
 * ddp/functions.h, with ranges in the place of numbers; what may jump has any slope.
 */
#include "runtime/eval/clock_range.h"

#include "ddp/apply.h"

#include <float.h>
#include <math.h>

enum { MOST_NODES = 250, MOST_DEPTH = 60 };

typedef struct Walk {
    const Sim *sim;
    double from, to;
    int left;  /* nodes that may still be visited */
    bool lost; /* met what is not known */
} Walk;

static const Range anything = {-INFINITY, INFINITY};

static inline double lesser(double a, double b)
{
    return a < b ? a : b;
}

static inline double greater(double a, double b)
{
    return a > b ? a : b;
}

static inline Range number(double k)
{
    return (Range){k, k};
}

static inline Range range_of(double a, double b)
{
    return isnan(a) || isnan(b) ? anything : (Range){lesser(a, b), greater(a, b)};
}

/* By what rounding may make of a result. */
static inline Range widened(Range r)
{
    double size = 4 * DBL_EPSILON;
    return (Range){r.low - size * fabs(r.low) - DBL_MIN, r.high + size * fabs(r.high) + DBL_MIN};
}

static inline Range hull(Range a, Range b)
{
    return (Range){lesser(a.low, b.low), greater(a.high, b.high)};
}

static inline bool has_zero(Range a)
{
    return a.low <= 0 && a.high >= 0;
}

static inline Range absolute(Range a)
{
    double most = greater(fabs(a.low), fabs(a.high));
    return (Range){has_zero(a) ? 0 : lesser(fabs(a.low), fabs(a.high)), most};
}

/* 0 times anything is 0: the other side is finite at each point. */
static inline double times(double a, double b)
{
    return a == 0 || b == 0 ? 0 : a * b;
}

static inline Range minus(Range a)
{
    return (Range){-a.high, -a.low};
}

static inline Range sum(Range a, Range b)
{
    return widened(range_of(a.low + b.low, a.high + b.high));
}

static inline Range product(Range a, Range b)
{
    double w = times(a.low, b.low), x = times(a.low, b.high), y = times(a.high, b.low),
           z = times(a.high, b.high);
    return widened(
        (Range){lesser(lesser(w, x), lesser(y, z)), greater(greater(w, x), greater(y, z))});
}

static Range quotient(Range a, Range b)
{
    return has_zero(b) ? anything : product(a, widened(range_of(1 / b.low, 1 / b.high)));
}

static Range square(Range a)
{
    Range size = absolute(a);
    return widened((Range){size.low * size.low, size.high * size.high});
}

static Range power(Range a, Range b)
{
    double n = b.low;
    if (n == b.high && n == floor(n) && n >= 0) {
        Range size = fmod(n, 2) == 0 ? absolute(a) : a;
        return n == 0 ? number(1) : widened(range_of(pow(size.low, n), pow(size.high, n)));
    }
    if (a.low <= 0)
        return anything;
    Range low = range_of(pow(a.low, b.low), pow(a.low, b.high)),
          high = range_of(pow(a.high, b.low), pow(a.high, b.high));
    return widened(hull(low, high));
}

/* Is one of offset + k*period in it? */
static bool meets(Range a, double offset, double period)
{
    return floor((a.high - offset) / period) >= ceil((a.low - offset) / period);
}

static Range sine(Range a, double offset)
{
    if (!(a.high - a.low < 2 * M_PI))
        return (Range){-1, 1};
    Range r = range_of(sin(a.low - offset), sin(a.high - offset));
    if (meets(a, M_PI_2 + offset, 2 * M_PI))
        r.high = 1;
    if (meets(a, -M_PI_2 + offset, 2 * M_PI))
        r.low = -1;
    double rounding = 2 * DBL_EPSILON * greater(fabs(a.low), fabs(a.high));
    return (Range){r.low - rounding, r.high + rounding};
}

/* Of a function that only rises or only falls where it has values. */
static Range monotone(XOp op, Range a)
{
    return range_of(x_apply_unary(op, a.low), x_apply_unary(op, a.high));
}

static Range unary(XOp op, Range a)
{
    switch (op) {
    case X_NEG:
        return minus(a);
    case X_SIN:
        return widened(sine(a, 0));
    case X_COS:
        return widened(sine(a, -M_PI_2));
    case X_TAN:
        return a.high - a.low < M_PI && !meets(a, M_PI_2, M_PI) ? widened(monotone(op, a))
                                                                : anything;
    case X_COSH:
        return widened(monotone(op, absolute(a)));
    case X_ABS:
        return absolute(a);
    case X_NOT:
        return (Range){0, 1};
    default: /* a value that is none beyond its domain is anything */
        return widened(monotone(op, a));
    }
}

static Range binary(XOp op, Range a, Range b)
{
    switch (op) {
    case X_ADD:
        return sum(a, b);
    case X_SUB:
        return sum(a, minus(b));
    case X_MUL:
        return product(a, b);
    case X_DIV:
        return quotient(a, b);
    case X_POW:
        return power(a, b);
    case X_MIN:
        return (Range){lesser(a.low, b.low), lesser(a.high, b.high)};
    case X_MAX:
        return (Range){greater(a.low, b.low), greater(a.high, b.high)};
    case X_ATAN2:
        return b.low > 0 ? unary(X_ATAN, quotient(a, b)) : (Range){-M_PI, M_PI};
    case X_MOD:
        return b.low > 0 ? (Range){0, b.high} : anything;
    default: /* comparisons, and, or */
        return (Range){0, 1};
    }
}

/* ---- slopes ---- */

static Range chosen(bool always, bool never, Range yes, Range no)
{
    return always ? yes : never ? no : hull(yes, no);
}

/* The algebra of functions.h, over ranges. */
#define NEG(x) minus(x)
#define ADD(x, y) sum(x, y)
#define SUB(x, y) sum(x, minus(y))
#define MUL(x, y) product(x, y)
#define DIV(x, y) quotient(x, y)
#define SQRT(x) unary(X_SQRT, x)
#define FLOOR(x) unary(X_FLOOR, x)
#define K(k) number(k)
#define F(NAME, x) unary(X_##NAME, x)
#define ALWAYS_LT(x, y) ((x).high < (y).low)
#define ALWAYS_GE(x, y) ((x).low >= (y).high)
#define ALWAYS_GT(x, y) ALWAYS_LT(y, x)
#define NEVER_LT(x, y) ALWAYS_GE(x, y)
#define NEVER_GE(x, y) ALWAYS_LT(x, y)
#define NEVER_GT(x, y) ALWAYS_GE(y, x)
#define IF(OP, x, y, yes, no) chosen(ALWAYS_##OP(x, y), NEVER_##OP(x, y), yes, no)
#define UNLESS_0(e, d, x) hull(d, x)
#define STEPS anything

#define LIBM_SLOPE(NAME, function, type, slope)                                                    \
    case X_##NAME:                                                                                 \
        return slope;
#define OWN_SLOPE(NAME, function, type, value, slope)                                              \
    case X_##NAME:                                                                                 \
        return slope;

static Range slope_unary(XOp op, Range a, Range v, Range d)
{
    switch (op) {
    case X_NEG:
        return minus(d);
        X_FUNCTIONS_OF_ONE(LIBM_SLOPE, OWN_SLOPE)
    default:
        return anything;
    }
}

#undef LIBM_SLOPE
#undef OWN_SLOPE
#define LIBM_SLOPE(NAME, function, type, first, second, slope)                                     \
    case X_##NAME:                                                                                 \
        return op == X_ATAN2 && b.low <= 0 ? anything : slope;
#define OWN_SLOPE(NAME, function, type, first, second, value, slope)                               \
    case X_##NAME:                                                                                 \
        return op == X_MOD ? anything : slope;

static Range slope_of_power(Range a, Range b, Range v, Range d, Range e)
{
    Range by_base =
        b.low == b.high ? product(product(b, power(a, number(b.low - 1))), d) : anything;
    bool fixed = e.low == 0 && e.high == 0;
    if (fixed)
        return by_base;
    return a.low > 0 ? product(v, sum(product(e, unary(X_LOG, a)), quotient(product(b, d), a)))
                     : anything;
}

static Range slope_binary(XOp op, Range a, Range b, Range v, Range d, Range e)
{
    switch (op) {
    case X_ADD:
        return sum(d, e);
    case X_SUB:
        return sum(d, minus(e));
    case X_MUL:
        return sum(product(d, b), product(a, e));
    case X_DIV:
        return quotient(sum(d, minus(product(v, e))), b);
    case X_POW:
        return slope_of_power(a, b, v, d, e);
        X_FUNCTIONS_OF_TWO(LIBM_SLOPE, OWN_SLOPE)
    default:
        return anything;
    }
}

/* ---- expressions ---- */

static ClockRange walk(Walk *w, const EvalOp *op, X x, int depth);

static ClockRange fixed(double k)
{
    return (ClockRange){number(k), number(0)};
}

static ClockRange of_var(Walk *w, DdpVar var, int depth)
{
    const Sim *sim = w->sim;
    if (var == sim->clock)
        return (ClockRange){{w->from, w->to}, number(1)};
    if (!var || !ddp_var(sim->ddp, var).varies)
        return fixed(sim->value[var]);
    DdpNode n = sim->info[var].state ? 0 : sim->info[var].node;
    const EvalNode *node = n ? &sim->nodes.at[n] : NULL;
    for (uint32_t i = 0; node && !node->loop && i < node->n_steps; i++)
        if (node->ops[i].target == var)
            return walk(w, &node->ops[i], node->ops[i].value, depth);
    w->lost = true;
    return (ClockRange){anything, anything};
}

static ClockRange of_two(Walk *w, const EvalOp *op, XNode node, ClockRange a, int depth)
{
    if (node.op == X_MUL && node.a == node.b)
        return (ClockRange){square(a.value), product(number(2), product(a.value, a.slope))};
    ClockRange b = walk(w, op, node.b, depth), r;
    r.value = binary((XOp)node.op, a.value, b.value);
    r.slope = slope_binary((XOp)node.op, a.value, b.value, r.value, a.slope, b.slope);
    return r;
}

static ClockRange of_operator(Walk *w, const EvalOp *op, XNode node, int depth)
{
    if (node.op == X_SELECT) {
        ClockRange yes = walk(w, op, node.b, depth), no = walk(w, op, node.c, depth);
        return (ClockRange){hull(yes.value, no.value), anything};
    }
    ClockRange a = walk(w, op, node.a, depth), r;
    if (node.op >= X_ADD)
        return of_two(w, op, node, a, depth);
    r.value = unary((XOp)node.op, a.value);
    r.slope = slope_unary((XOp)node.op, a.value, r.value, a.slope);
    return r;
}

static ClockRange walk(Walk *w, const EvalOp *op, X x, int depth)
{
    XNode node = x_node(w->sim->forms, x);
    w->lost |= depth == 0 || w->left-- <= 0 || node.op == X_CALL || node.op == X_ARG;
    if (w->lost)
        return (ClockRange){anything, anything};
    return node.op == X_CONST ? fixed(node.k)
           : node.op == X_POS ? of_var(w, op->vars[node.a], depth - 1)
                              : of_operator(w, op, node, depth - 1);
}

bool clock_range(const Sim *sim, const EvalNode *node, const Compare *compare, double from,
                 double to, ClockRange *range)
{
    Walk w = {.sim = sim, .from = from, .to = to, .left = MOST_NODES};
    *range = walk(&w, &node->ops[compare->op], compare->difference, MOST_DEPTH);
    return !w.lost;
}
