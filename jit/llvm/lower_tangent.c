/* lower_tangent.c: operation and operands' derivatives -> derivative. See lower.h.
 *
 * The formulas and their order are those of the interpreter (interp.c, unary_tangent and
 * binary_tangent), whose rule "where the operands' tangents are 0, the result's is 0, even where
 * the slope is infinite" becomes a choice at the end, without branches. Sums and differences need
 * no choice: adding +0 turns the -0 they could give into the 0 of the rule and changes nothing
 * else. */
#include "jit/llvm/lower.h"

#include "jit/jit_math.h"

#include <math.h>

#define MUL(a, b) lower_fp(l, LLVMFMul, (a), (b))
#define ADD(a, b) lower_fp(l, LLVMFAdd, (a), (b))
#define SUB(a, b) lower_fp(l, LLVMFSub, (a), (b))
#define DIV(a, b) lower_fp(l, LLVMFDiv, (a), (b))
#define K(k) lower_const(l, (k))

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

static LLVMValueRef slope_times(Lower *l, uint32_t op, LLVMValueRef a, LLVMValueRef v,
                                LLVMValueRef d)
{
    switch (op) {
    case X_SIN:
        return MUL(lower_math1(l, MATH_COS, a), d);
    case X_COS:
        return lower_neg(l, MUL(lower_math1(l, MATH_SIN, a), d));
    case X_TAN:
        return MUL(ADD(K(1), MUL(v, v)), d);
    case X_ASIN:
        return DIV(d, lower_sqrt(l, SUB(K(1), MUL(a, a))));
    case X_ACOS:
        return lower_neg(l, DIV(d, lower_sqrt(l, SUB(K(1), MUL(a, a)))));
    case X_ATAN:
        return DIV(d, ADD(K(1), MUL(a, a)));
    case X_SINH:
        return MUL(lower_math1(l, MATH_COSH, a), d);
    case X_COSH:
        return MUL(lower_math1(l, MATH_SINH, a), d);
    case X_TANH:
        return MUL(SUB(K(1), MUL(v, v)), d);
    case X_EXP:
        return MUL(v, d);
    case X_LOG:
        return DIV(d, a);
    case X_LOG10:
        return DIV(d, MUL(K(M_LN10), a));
    case X_SQRT:
        return DIV(d, MUL(K(2), v));
    case X_ABS:
        return lower_choose(l, lower_compare(l, LLVMRealOGE, a, K(0)), d, lower_neg(l, d));
    default: /* not, sign, floor, ceil, round */
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

static LLVMValueRef mod_tangent(Lower *l, LowerValue a, LowerValue b)
{
    LLVMValueRef whole = lower_floor(l, DIV(a.v, b.v));
    return lower_choose(l, is_zero(l, b.d), a.d, SUB(a.d, MUL(whole, b.d)));
}

static LLVMValueRef slope_sum(Lower *l, uint32_t op, LowerValue a, LowerValue b, LLVMValueRef v)
{
    switch (op) {
    case X_MUL:
        return ADD(MUL(b.v, a.d), MUL(a.v, b.d));
    case X_DIV:
        return DIV(SUB(a.d, MUL(v, b.d)), b.v);
    case X_ATAN2:
        return DIV(SUB(MUL(b.v, a.d), MUL(a.v, b.d)), ADD(MUL(a.v, a.v), MUL(b.v, b.v)));
    case X_MIN:
        return lower_choose(l, lower_compare(l, LLVMRealOLT, b.v, a.v), b.d, a.d);
    case X_MAX:
        return lower_choose(l, lower_compare(l, LLVMRealOGT, b.v, a.v), b.d, a.d);
    case X_MOD:
        return mod_tangent(l, a, b);
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
