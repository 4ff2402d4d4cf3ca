/* lower_tangent.c: operation and operands' derivatives -> derivative. See lower.h.
 *
 * The formulas and their order are those of the interpreter (ddp/apply.h, x_slope_unary and
 * x_slope_binary), whose rule "where the operands' tangents are 0, the result's is 0, even where
 * the slope is infinite" becomes a choice at the end, without branches. Sums and differences need
 * no choice: adding +0 turns the -0 they could give into the 0 of the rule and changes nothing
 * else. */
#include "jit/llvm/lower_algebra.h"

static void stands_still(Lower *l, LowerValue *result)
{
    result->d = K(0);
    result->still = true;
}

static LLVMValueRef is_zero(Lower *l, LLVMValueRef d)
{
    return lower_compare(l, LLVMRealOEQ, d, K(0));
}

/* ---- one operand ---- */

#define LIBM(NAME, function, type, slope)                                                          \
    case X_##NAME:                                                                                 \
        return slope;
#define OWN(NAME, function, type, value, slope)                                                    \
    case X_##NAME:                                                                                 \
        return slope;

static LLVMValueRef slope_times(Lower *l, uint32_t op, LLVMValueRef a, LLVMValueRef v,
                                LLVMValueRef d)
{
    switch (op) {
        X_FUNCTIONS_OF_ONE(LIBM, OWN)
    default: /* not */
        return NULL;
    }
}

static void unary_tangent(Lower *l, uint32_t op, LowerValue a, LowerValue *result)
{
    if (a.still) {
        stands_still(l, result);
    } else if (op == X_NEG) {
        result->d = SUB(K(0), a.d);
    } else {
        LLVMValueRef d = slope_times(l, op, a.v, result->v, a.d);
        if (d)
            result->d = lower_choose(l, is_zero(l, a.d), K(0), d);
        else
            stands_still(l, result);
    }
}

/* ---- two operands ---- */

static LLVMValueRef both_zero(Lower *l, LowerValue a, LowerValue b)
{
    if (a.still)
        return is_zero(l, b.d);
    if (b.still)
        return is_zero(l, a.d);
    return LLVMBuildAnd(l->build, is_zero(l, a.d), is_zero(l, b.d), "");
}

static LLVMValueRef moves_and_counts(Lower *l, LLVMValueRef d, LLVMValueRef factor)
{
    LLVMValueRef moves = lower_compare(l, LLVMRealUNE, d, K(0));
    LLVMValueRef counts = lower_compare(l, LLVMRealUNE, factor, K(0));
    return LLVMBuildAnd(l->build, moves, counts, "");
}

static LLVMValueRef power_tangent(Lower *l, LowerValue a, LowerValue b, LLVMValueRef v)
{
    LLVMValueRef by_base = K(0), by_exponent = K(0);
    if (!a.still) {
        LLVMValueRef slope = MUL(b.v, lower_math2(l, MATH_POW, a.v, SUB(b.v, K(1))));
        by_base = lower_choose(l, moves_and_counts(l, a.d, b.v), MUL(slope, a.d), K(0));
    }
    if (!b.still) {
        LLVMValueRef slope = MUL(v, lower_math1(l, MATH_LOG, a.v));
        by_exponent = lower_choose(l, moves_and_counts(l, b.d, a.v), MUL(slope, b.d), K(0));
    }
    return ADD(by_base, by_exponent);
}

#undef LIBM
#undef OWN
#define LIBM(NAME, function, type, first, second, slope)                                           \
    case X_##NAME:                                                                                 \
        return slope;
#define OWN(NAME, function, type, first, second, value, slope)                                     \
    case X_##NAME:                                                                                 \
        return slope;

static LLVMValueRef slope_sum(Lower *l, uint32_t op, LowerValue of_a, LowerValue of_b,
                              LLVMValueRef v)
{
    LLVMValueRef a = of_a.v, d = of_a.d, b = of_b.v, e = of_b.d;
    switch (op) {
    case X_MUL:
        return ADD(MUL(b, d), MUL(a, e));
    case X_DIV:
        return DIV(SUB(d, MUL(v, e)), b);
        X_FUNCTIONS_OF_TWO(LIBM, OWN)
    default: /* comparisons, and, or */
        return NULL;
    }
}

static void binary_tangent(Lower *l, uint32_t op, LowerValue a, LowerValue b, LowerValue *result)
{
    if (a.still && b.still) {
        stands_still(l, result);
    } else if (op == X_ADD || op == X_SUB) {
        LLVMValueRef sum = op == X_ADD ? ADD(a.d, b.d) : SUB(a.d, b.d);
        result->d = ADD(sum, K(0));
    } else if (op == X_POW) {
        result->d = power_tangent(l, a, b, result->v);
    } else {
        LLVMValueRef d = slope_sum(l, op, a, b, result->v);
        if (d)
            result->d = lower_choose(l, both_zero(l, a, b), K(0), d);
        else
            stands_still(l, result);
    }
}

/* ---- the others ---- */

static void select_tangent(Lower *l, ShapeOp op, LowerValue *result)
{
    LowerValue yes = l->at[op.b], no = l->at[op.c];
    LLVMValueRef condition = lower_compare(l, LLVMRealUNE, l->at[op.a].v, K(0));
    result->d = lower_choose(l, condition, yes.d, no.d);
    result->still = yes.still && no.still;
}

/* total + (derivative by the argument, called only where its tangent is not 0) * d */
static LLVMValueRef add_partial(Lower *l, ShapeOp op, uint32_t which, LLVMValueRef total,
                                LLVMValueRef d)
{
    LLVMBasicBlockRef call = LLVMAppendBasicBlockInContext(l->context, l->function, "");
    LLVMBasicBlockRef done = LLVMAppendBasicBlockInContext(l->context, l->function, "");
    LLVMBasicBlockRef from[2] = {LLVMGetInsertBlock(l->build)};
    LLVMBuildCondBr(l->build, lower_compare(l, LLVMRealUNE, d, K(0)), call, done);
    LLVMPositionBuilderAtEnd(l->build, call);
    LLVMValueRef slope = lower_call_slope(l, op, which);
    LLVMValueRef values[2] = {total, ADD(total, MUL(slope, d))};
    from[1] = LLVMGetInsertBlock(l->build); /* the call may consist of several blocks */
    LLVMBuildBr(l->build, done);
    LLVMPositionBuilderAtEnd(l->build, done);
    LLVMValueRef phi = LLVMBuildPhi(l->build, l->real, "");
    LLVMAddIncoming(phi, values, from, 2);
    return phi;
}

/* The arguments lie in l->args since the call itself. */
static void call_tangent(Lower *l, ShapeOp op, LowerValue *result)
{
    uint32_t args[SHAPE_MAX_ARGS];
    lower_arguments(l, op, args);
    stands_still(l, result);
    for (uint32_t i = 0; i < op.c; i++) {
        LowerValue arg = l->at[args[i]];
        if (arg.still)
            continue;
        result->d = add_partial(l, op, i, result->d, arg.d);
        result->still = false;
    }
}

void lower_tangent(Lower *l, ShapeOp op, LowerValue *result)
{
    if (op.op == X_CALL)
        call_tangent(l, op, result);
    else if (op.op == X_SELECT)
        select_tangent(l, op, result);
    else if (op.op >= X_NEG && op.op <= X_ROUND)
        unary_tangent(l, op.op, l->at[op.a], result);
    else
        binary_tangent(l, op.op, l->at[op.a], l->at[op.b], result);
}
