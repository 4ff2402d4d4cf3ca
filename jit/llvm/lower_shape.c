/* lower_shape.c: operations of a shape -> LLVM instructions. See lower.h.
 *
 * Every operation is what ddp/apply.h says, in the same order, on doubles or on several instances
 * side by side. Nothing that rounds is left to LLVM's choice: no flags that allow rewriting (unless
 * fast_math), library functions only through the table of JitEnv. Square root, absolute value,
 * floor and ceil are exact, so LLVM's own are the same.
 *
 * Basic blocks are cut at BLOCK_OPS operations: the time of instruction selection grows with the
 * square of a block's length. */
#include "jit/llvm/lower_algebra.h"

#include <stddef.h>

enum { BLOCK_OPS = 100 };

/* ---- building blocks ---- */

LLVMValueRef lower_splat(Lower *l, LLVMValueRef scalar)
{
    if (l->lanes == 1)
        return scalar;
    LLVMValueRef vector = LLVMGetUndef(l->real), zero = LLVMConstInt(l->int32, 0, 0);
    vector = LLVMBuildInsertElement(l->build, vector, scalar, zero, "");
    LLVMValueRef mask = LLVMConstNull(LLVMVectorType(l->int32, l->lanes));
    return LLVMBuildShuffleVector(l->build, vector, LLVMGetUndef(l->real), mask, "");
}

LLVMValueRef lower_const(Lower *l, double k)
{
    LLVMValueRef one = LLVMConstReal(l->real1, k), lane[LOWER_LANES];
    if (l->lanes == 1)
        return one;
    for (unsigned i = 0; i < l->lanes; i++)
        lane[i] = one;
    return LLVMConstVector(lane, l->lanes);
}

static LLVMValueRef flagged(const Lower *l, LLVMValueRef value)
{
    if (l->fast_math && LLVMIsAInstruction(value) && LLVMCanValueUseFastMathFlags(value))
        LLVMSetFastMathFlags(value, LLVMFastMathAllowReassoc | LLVMFastMathNoSignedZeros |
                                        LLVMFastMathAllowReciprocal | LLVMFastMathAllowContract);
    return value;
}

LLVMValueRef lower_fp(Lower *l, LLVMOpcode opcode, LLVMValueRef a, LLVMValueRef b)
{
    return flagged(l, LLVMBuildBinOp(l->build, opcode, a, b, ""));
}

LLVMValueRef lower_neg(Lower *l, LLVMValueRef a)
{
    return LLVMBuildFNeg(l->build, a, "");
}

LLVMValueRef lower_compare(Lower *l, LLVMRealPredicate p, LLVMValueRef a, LLVMValueRef b)
{
    return LLVMBuildFCmp(l->build, p, a, b, "");
}

LLVMValueRef lower_choose(Lower *l, LLVMValueRef condition, LLVMValueRef yes, LLVMValueRef no)
{
    return LLVMBuildSelect(l->build, condition, yes, no, "");
}

static LLVMValueRef truth(Lower *l, LLVMValueRef condition)
{
    return lower_choose(l, condition, lower_const(l, 1), lower_const(l, 0));
}

static LLVMValueRef not_zero(Lower *l, LLVMValueRef a)
{
    return lower_compare(l, LLVMRealUNE, a, lower_const(l, 0));
}

LLVMValueRef lower_table(Lower *l, LLVMTypeRef type, LLVMValueRef base, uint64_t index)
{
    LLVMValueRef at = LLVMConstInt(l->int64, index, 0);
    LLVMValueRef p = LLVMBuildInBoundsGEP2(l->build, type, base, &at, 1, "");
    return LLVMBuildLoad2(l->build, type, p, "");
}

LLVMValueRef lower_field(Lower *l, LLVMTypeRef type, LLVMValueRef base, size_t offset)
{
    LLVMValueRef at = LLVMConstInt(l->int64, offset, 0);
    LLVMTypeRef byte = LLVMInt8TypeInContext(l->context);
    LLVMValueRef p = LLVMBuildInBoundsGEP2(l->build, byte, base, &at, 1, "");
    return LLVMBuildLoad2(l->build, type, p, "");
}

LLVMValueRef lower_intrinsic(Lower *l, unsigned id, LLVMValueRef a)
{
    LLVMValueRef f = LLVMGetIntrinsicDeclaration(l->module, id, &l->real, 1);
    LLVMTypeRef type = LLVMIntrinsicGetType(l->context, id, &l->real, 1);
    return LLVMBuildCall2(l->build, type, f, &a, 1, "");
}

/* ---- calls ---- */

LLVMValueRef lower_env(Lower *l, size_t offset)
{
    return lower_field(l, l->pointer, l->env, offset);
}

/* Calls lane by lane; functions of libm touch no memory that code can see. */
static LLVMValueRef call_math(Lower *l, uint32_t math, unsigned n, const LLVMValueRef *operands)
{
    LLVMTypeRef params[2] = {l->real1, l->real1};
    LLVMTypeRef type = LLVMFunctionType(l->real1, params, n, 0);
    LLVMValueRef f = lower_env(l, offsetof(JitEnv, math) + math * sizeof(void *));
    unsigned kind = LLVMGetEnumAttributeKindForName("memory", 6);
    LLVMAttributeRef pure = LLVMCreateEnumAttribute(l->context, kind, 0);
    LLVMValueRef result = LLVMGetUndef(l->real);
    for (unsigned lane = 0; lane < l->lanes; lane++) {
        LLVMValueRef at = LLVMConstInt(l->int32, lane, 0), args[2];
        for (unsigned i = 0; i < n; i++)
            args[i] = l->lanes == 1 ? operands[i]
                                    : LLVMBuildExtractElement(l->build, operands[i], at, "");
        LLVMValueRef call = LLVMBuildCall2(l->build, type, f, args, n, "");
        LLVMAddCallSiteAttribute(call, LLVMAttributeFunctionIndex, pure);
        result = l->lanes == 1 ? call : LLVMBuildInsertElement(l->build, result, call, at, "");
    }
    return result;
}

LLVMValueRef lower_math1(Lower *l, uint32_t math, LLVMValueRef a)
{
    return call_math(l, math, 1, &a);
}

LLVMValueRef lower_math2(Lower *l, uint32_t math, LLVMValueRef a, LLVMValueRef b)
{
    return call_math(l, math, 2, (LLVMValueRef[]){a, b});
}

/* ---- operators ---- */

#define LIBM(NAME, ...)                                                                            \
    case X_##NAME:                                                                                 \
        return lower_math1(l, MATH_##NAME, a);
#define OWN(NAME, function, type, value, slope)                                                    \
    case X_##NAME:                                                                                 \
        return value;

static LLVMValueRef unary_value(Lower *l, uint32_t op, LLVMValueRef a)
{
    switch (op) {
        X_FUNCTIONS_OF_ONE(LIBM, OWN)
    case X_NOT:
        return IS(EQ, a, K(0));
    default:
        return NEG(a);
    }
}

#undef LIBM
#undef OWN
#define LIBM(NAME, ...)                                                                            \
    case X_##NAME:                                                                                 \
        return lower_math2(l, MATH_##NAME, a, b);
#define OWN(NAME, function, type, first, second, value, slope)                                     \
    case X_##NAME:                                                                                 \
        return value;

static LLVMRealPredicate predicate(uint32_t op)
{
    switch (op) {
    case X_LT:
        return LLVMRealOLT;
    case X_LE:
        return LLVMRealOLE;
    case X_EQ:
        return LLVMRealOEQ;
    case X_NE:
        return LLVMRealUNE;
    case X_GE:
        return LLVMRealOGE;
    default:
        return LLVMRealOGT;
    }
}

static LLVMValueRef binary_value(Lower *l, uint32_t op, LLVMValueRef a, LLVMValueRef b)
{
    switch (op) {
    case X_ADD:
        return ADD(a, b);
    case X_SUB:
        return SUB(a, b);
    case X_MUL:
        return MUL(a, b);
    case X_DIV:
        return DIV(a, b);
        LIBM(POW)
        X_FUNCTIONS_OF_TWO(LIBM, OWN)
    case X_AND:
        return truth(l, LLVMBuildAnd(l->build, not_zero(l, a), not_zero(l, b), ""));
    case X_OR:
        return truth(l, LLVMBuildOr(l->build, not_zero(l, a), not_zero(l, b), ""));
    default:
        return truth(l, lower_compare(l, predicate(op), a, b));
    }
}

/* ---- loads and stores ---- */

static LLVMValueRef place(Lower *l, LLVMValueRef base, uint32_t slot)
{
    LLVMValueRef *first = l->first[base == l->tangents];
    if (first && first[slot])
        return LLVMBuildInBoundsGEP2(l->build, l->real1, first[slot], &l->instance, 1, "");
    LLVMValueRef index = lower_slot_index(l, slot);
    return LLVMBuildInBoundsGEP2(l->build, l->real1, base, &index, 1, "");
}

static LLVMValueRef load_place(Lower *l, LLVMValueRef base, uint32_t slot)
{
    LLVMValueRef value = LLVMBuildLoad2(l->build, l->real, place(l, base, slot), "");
    LLVMSetAlignment(value, sizeof(double));
    return value;
}

static void store_place(Lower *l, LLVMValueRef base, uint32_t slot, LLVMValueRef value)
{
    LLVMSetAlignment(LLVMBuildStore(l->build, value, place(l, base, slot)), sizeof(double));
}

static LowerValue load(Lower *l, uint32_t slot)
{
    LowerValue result = {0};
    if (l->common && l->common[slot].v) {
        result.v = lower_splat(l, l->common[slot].v);
        result.d = l->common[slot].d ? lower_splat(l, l->common[slot].d) : NULL;
        return result;
    }
    result.v = load_place(l, l->values, slot);
    if (l->job->kind == JIT_TANGENT)
        result.d = load_place(l, l->tangents, slot);
    return result;
}

static void store(Lower *l, ShapeOp op)
{
    bool tangent = l->job->kind == JIT_TANGENT, apart = !tangent && lower_is_apart(l, op.a);
    store_place(l, apart ? l->tangents : l->values, op.a, l->at[op.b].v);
    if (tangent)
        store_place(l, l->tangents, op.a, l->at[op.b].d);
}

static LowerValue constant(Lower *l, uint32_t index)
{
    if (l->job->layout == JIT_FIXED)
        return (LowerValue){lower_const(l, l->job->constants[index]), lower_const(l, 0), true};
    LLVMValueRef k = l->constant_value ? l->constant_value[index]
                                       : lower_table(l, l->real1, l->constants, index);
    return (LowerValue){lower_splat(l, k), lower_const(l, 0), true};
}

/* ---- all operations ---- */

static LowerValue computed(Lower *l, ShapeOp op)
{
    LowerValue result = {0};
    if (op.op == X_CALL)
        result.v = lower_call(l, op);
    else if (op.op == X_SELECT)
        result.v = lower_choose(l, not_zero(l, l->at[op.a].v), l->at[op.b].v, l->at[op.c].v);
    else if (op.op >= X_NEG && op.op <= X_ROUND)
        result.v = unary_value(l, op.op, l->at[op.a].v);
    else
        result.v = binary_value(l, op.op, l->at[op.a].v, l->at[op.b].v);
    if (l->job->kind == JIT_TANGENT)
        lower_tangent(l, op, &result);
    return result;
}

static void cut_block(Lower *l)
{
    LLVMBasicBlockRef next = LLVMAppendBasicBlockInContext(l->context, l->function, "");
    LLVMBuildBr(l->build, next);
    LLVMPositionBuilderAtEnd(l->build, next);
}

void lower_shape(Lower *l)
{
    const Shape *shape = l->job->shape;
    for (uint32_t i = 0; i < shape->n_ops; i++) {
        ShapeOp op = shape->ops[i];
        if (op.op == SHAPE_LOAD)
            l->at[i] = load(l, op.a);
        else if (op.op == SHAPE_CONSTANT)
            l->at[i] = constant(l, op.a);
        else if (op.op == SHAPE_STORE)
            store(l, op);
        else if (op.op == SHAPE_CALLEE)
            l->callee = op;
        else if (op.op != X_ARG)
            l->at[i] = computed(l, op);
        if (op.op == X_CALL)
            l->callee.op = 0;
        if ((i + 1) % BLOCK_OPS == 0)
            cut_block(l);
    }
}

/* ---- what a turn is ---- */

#undef LIBM
#undef OWN
#define LIBM(NAME, ...)                                                                            \
    case X_##NAME:                                                                                 \
        return true;
#define OWN(...)

static bool calls_libm(uint32_t op)
{
    switch (op) {
        LIBM(POW)
        X_FUNCTIONS_OF_ONE(LIBM, OWN)
        X_FUNCTIONS_OF_TWO(LIBM, OWN)
    default:
        return false;
    }
}

/* Does an operation read what one behind it writes? */
static bool is_overwritten(const Shape *shape, ShapeOp load)
{
    for (uint32_t i = 0; load.op == SHAPE_LOAD && i < shape->n_ops; i++)
        if (shape->ops[i].op == SHAPE_STORE && shape->ops[i].a == load.a)
            return true;
    return false;
}

bool lower_may_repeat(const Lower *l)
{
    const Shape *shape = l->job->shape;
    for (uint32_t i = 0; i < shape->n_ops; i++)
        if (calls_libm(shape->ops[i].op) || is_overwritten(shape, shape->ops[i]))
            return false;
    return true;
}
