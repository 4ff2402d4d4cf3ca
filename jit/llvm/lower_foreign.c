/* lower_foreign.c: call of a foreign function -> LLVM instructions. See lower.h, JitEnv in jit.h.
 *
 * Where a SHAPE_CALLEE says how C passes arguments and result, the function is called directly: its
 * address comes out of JitEnv.callees, so code stays free of addresses. What
 * runtime/foreign/foreign.c does around a call is done here in the same order: whole numbers must
 * fit an int, handles must live; afterwards the library is asked for an error where it has one to
 * ask, and a result that is no number is an error. Whatever does not fit (an argument that cannot
 * be passed, a function that is not open yet) goes through JitEnv.foreign, which opens it, or fails
 * with the right words.
 *
 * All of it takes one instance at a time. */
#include "jit/llvm/lower.h"

#include <limits.h>
#include <stddef.h>

void lower_arguments(const Lower *l, ShapeOp call, uint32_t *args)
{
    uint32_t list = call.b;
    for (uint32_t i = call.c; i-- > 0; list = l->job->shape->ops[list].b)
        args[i] = l->job->shape->ops[list].a;
}

/* C passes an int as a register is wide: some machines want to know with which upper half. All
 * numbers that are passed unsigned are small, so that they are the same either way. */
static LLVMValueRef call_c(Lower *l, LLVMTypeRef type, LLVMValueRef f, LLVMValueRef *args,
                           unsigned n)
{
    LLVMValueRef call = LLVMBuildCall2(l->build, type, f, args, n, "");
    unsigned kind = LLVMGetEnumAttributeKindForName("signext", 7);
    LLVMAttributeRef wide = LLVMCreateEnumAttribute(l->context, kind, 0);
    for (unsigned i = 0; i < n; i++)
        if (LLVMTypeOf(args[i]) == l->int32)
            LLVMAddCallSiteAttribute(call, i + 1, wide);
    if (LLVMGetReturnType(type) == l->int32)
        LLVMAddCallSiteAttribute(call, LLVMAttributeReturnIndex, wide);
    return call;
}

/* ---- by JitEnv.foreign ---- */

static LLVMValueRef function_number(Lower *l, uint32_t slot)
{
    return LLVMBuildTrunc(l->build, lower_slot_index(l, slot), l->int32, "");
}

/* The function whose number stands in slot `slot`, applied to the n arguments in l->args. */
static LLVMValueRef call_general(Lower *l, uint32_t slot, uint32_t n)
{
    LLVMTypeRef params[] = {l->pointer, l->int32, l->int32, l->pointer};
    LLVMTypeRef type = LLVMFunctionType(l->real1, params, 4, 0);
    LLVMValueRef args[] = {lower_env(l, offsetof(JitEnv, context)), function_number(l, slot),
                           LLVMConstInt(l->int32, n, 0), l->args};
    LLVMValueRef f = lower_env(l, offsetof(JitEnv, foreign));
    return call_c(l, type, f, args, 4);
}

/* ---- directly ---- */

/* One direct call in the making. */
typedef struct Direct {
    ShapeCallee callee; /* what is called: with the slope of a call not always the call's own */
    uint32_t slot, n;
    LLVMValueRef number, entry; /* i32; its JitCallee */
    LLVMValueRef address, fits; /* i1: all arguments can be passed, and the address is known */
    LLVMTypeRef types[SHAPE_DIRECT_ARGS + 1];
    LLVMValueRef args[SHAPE_DIRECT_ARGS + 1];
} Direct;

static LLVMValueRef field(Lower *l, const Direct *d, LLVMTypeRef type, size_t offset)
{
    return lower_field(l, type, d->entry, offset);
}

static void require(Lower *l, Direct *d, LLVMValueRef condition)
{
    d->fits = LLVMBuildAnd(l->build, d->fits, condition, "");
}

static LLVMValueRef is_pointer(Lower *l, LLVMValueRef p)
{
    return LLVMBuildICmp(l->build, LLVMIntNE, p, LLVMConstNull(l->pointer), "");
}

static void find_callee(Lower *l, Direct *d)
{
    LLVMValueRef table = lower_table(l, l->pointer, lower_env(l, offsetof(JitEnv, callees)), 0);
    LLVMValueRef size = LLVMConstInt(l->int64, sizeof(JitCallee), 0);
    LLVMValueRef at = LLVMBuildMul(l->build, lower_slot_index(l, d->slot), size, "");
    LLVMTypeRef byte = LLVMInt8TypeInContext(l->context);
    d->number = function_number(l, d->slot);
    d->entry = LLVMBuildInBoundsGEP2(l->build, byte, table, &at, 1, "");
    d->address = field(l, d, l->pointer, offsetof(JitCallee, address));
    d->fits = is_pointer(l, d->address);
}

/* (int)x. What does not fit is not converted: the result would be undefined. */
static LLVMValueRef to_int(Lower *l, Direct *d, LLVMValueRef x)
{
    LLVMValueRef fits =
        LLVMBuildAnd(l->build, lower_compare(l, LLVMRealOGE, x, lower_const(l, INT_MIN)),
                     lower_compare(l, LLVMRealOLE, x, lower_const(l, INT_MAX)), "");
    require(l, d, fits);
    LLVMValueRef safe = lower_choose(l, fits, x, lower_const(l, 0));
    return LLVMBuildFPToSI(l->build, safe, l->int32, "");
}

static LLVMValueRef to_pointer(Lower *l, Direct *d, ShapeType kind, LLVMValueRef x)
{
    LLVMTypeRef params[] = {l->pointer, l->int32, l->real1};
    LLVMTypeRef type = LLVMFunctionType(l->pointer, params, 3, 0);
    LLVMValueRef args[] = {lower_env(l, offsetof(JitEnv, context)), LLVMConstInt(l->int32, kind, 0),
                           x};
    LLVMValueRef f = lower_env(l, offsetof(JitEnv, pointer));
    LLVMValueRef p = call_c(l, type, f, args, 3);
    require(l, d, is_pointer(l, p));
    return p;
}

static void pass(Lower *l, Direct *d, uint32_t i, LLVMValueRef x)
{
    ShapeType kind = d->callee.in[i];
    if (kind == SHAPE_REAL) {
        d->args[i] = x;
        d->types[i] = l->real1;
    } else if (kind == SHAPE_INTEGER || kind == SHAPE_BOOLEAN) {
        d->args[i] = to_int(l, d, x);
        d->types[i] = l->int32;
    } else {
        d->args[i] = to_pointer(l, d, kind, x);
        d->types[i] = l->pointer;
    }
}

static void pass_all(Lower *l, Direct *d, ShapeOp call)
{
    uint32_t args[SHAPE_MAX_ARGS];
    lower_arguments(l, call, args);
    d->n = call.c;
    find_callee(l, d);
    for (uint32_t i = 0; i < d->n; i++)
        pass(l, d, i, l->at[args[i]].v);
    if (!d->callee.has_which)
        return;
    LLVMValueRef which = field(l, d, l->int64, offsetof(JitCallee, which));
    d->args[d->n] = LLVMBuildTrunc(l->build, which, l->int32, "");
    d->types[d->n++] = l->int32;
}

static LLVMValueRef from_result(Lower *l, ShapeType kind, LLVMValueRef result)
{
    if (kind == SHAPE_INTEGER)
        return LLVMBuildSIToFP(l->build, result, l->real1, "");
    if (kind == SHAPE_BOOLEAN) {
        LLVMValueRef holds =
            LLVMBuildICmp(l->build, LLVMIntNE, result, LLVMConstNull(l->int32), "");
        return LLVMBuildUIToFP(l->build, holds, l->real1, "");
    }
    if (kind != SHAPE_STRING)
        return result;
    LLVMTypeRef params[] = {l->pointer, l->pointer};
    LLVMValueRef args[] = {lower_env(l, offsetof(JitEnv, context)), result};
    return call_c(l, LLVMFunctionType(l->real1, params, 2, 0), lower_env(l, offsetof(JitEnv, text)),
                  args, 2);
}

static LLVMBasicBlockRef new_block(Lower *l)
{
    return LLVMAppendBasicBlockInContext(l->context, l->function, "");
}

static LLVMValueRef either(Lower *l, LLVMValueRef value[2], LLVMBasicBlockRef from[2])
{
    LLVMValueRef phi = LLVMBuildPhi(l->build, l->real1, "");
    LLVMAddIncoming(phi, value, from, 2);
    return phi;
}

/* The value, or NaN after a failure that JitEnv.checked has noted. */
static LLVMValueRef check(Lower *l, const Direct *d, LLVMValueRef value)
{
    LLVMBasicBlockRef ask = new_block(l), done = new_block(l);
    LLVMValueRef error = field(l, d, l->pointer, offsetof(JitCallee, error));
    LLVMValueRef doubt = LLVMBuildOr(l->build, is_pointer(l, error),
                                     lower_compare(l, LLVMRealUNO, value, value), "");
    LLVMBasicBlockRef from[2] = {LLVMGetInsertBlock(l->build), ask};
    LLVMBuildCondBr(l->build, doubt, ask, done);
    LLVMPositionBuilderAtEnd(l->build, ask);
    LLVMTypeRef params[] = {l->pointer, l->int32, l->real1};
    LLVMValueRef args[] = {lower_env(l, offsetof(JitEnv, context)), d->number, value};
    LLVMValueRef checked = call_c(l, LLVMFunctionType(l->real1, params, 3, 0),
                                  lower_env(l, offsetof(JitEnv, checked)), args, 3);
    LLVMBuildBr(l->build, done);
    LLVMPositionBuilderAtEnd(l->build, done);
    return either(l, (LLVMValueRef[]){value, checked}, from);
}

static LLVMValueRef call_once(Lower *l, Direct *d)
{
    ShapeType out = d->callee.out;
    LLVMTypeRef result = out == SHAPE_REAL ? l->real1 : out == SHAPE_STRING ? l->pointer : l->int32;
    LLVMTypeRef type = LLVMFunctionType(result, d->types, d->n, 0);
    LLVMValueRef value = call_c(l, type, d->address, d->args, d->n);
    return check(l, d, from_result(l, out, value));
}

/* Central difference by argument `which`, as call_difference in runtime/foreign/foreign.c. */
static LLVMValueRef call_twice(Lower *l, Direct *d, uint32_t which)
{
    LLVMValueRef x = d->args[which], one = lower_const(l, 1),
                 size = lower_intrinsic(l, l->fabs_id, x);
    size = lower_choose(l, lower_compare(l, LLVMRealOGT, size, one), size, one);
    LLVMValueRef unit = field(l, d, l->real1, offsetof(JitCallee, step));
    LLVMValueRef step = LLVMBuildFMul(l->build, unit, size, "");
    LLVMValueRef above = LLVMBuildFAdd(l->build, x, step, "");
    LLVMValueRef below = LLVMBuildFSub(l->build, x, step, "");
    d->args[which] = above;
    LLVMValueRef high = call_once(l, d);
    d->args[which] = below;
    LLVMValueRef low = call_once(l, d);
    return LLVMBuildFDiv(l->build, LLVMBuildFSub(l->build, high, low, ""),
                         LLVMBuildFSub(l->build, above, below, ""), "");
}

enum { NO_DIFFERENCE = UINT32_MAX };

/* if (fits) direct else general; difference: by which argument, or NO_DIFFERENCE */
static LLVMValueRef call_direct(Lower *l, Direct *d, ShapeOp call, uint32_t difference)
{
    LLVMBasicBlockRef direct = new_block(l), general = new_block(l), done = new_block(l), from[2];
    LLVMValueRef value[2];
    pass_all(l, d, call);
    LLVMBuildCondBr(l->build, d->fits, direct, general);
    LLVMPositionBuilderAtEnd(l->build, direct);
    value[0] = difference == NO_DIFFERENCE ? call_once(l, d) : call_twice(l, d, difference);
    from[0] = LLVMGetInsertBlock(l->build);
    LLVMBuildBr(l->build, done);
    LLVMPositionBuilderAtEnd(l->build, general);
    value[1] = call_general(l, d->slot, call.c);
    from[1] = general;
    LLVMBuildBr(l->build, done);
    LLVMPositionBuilderAtEnd(l->build, done);
    return either(l, value, from);
}

/* ---- calls and their derivatives ---- */

static void store_arguments(Lower *l, ShapeOp call)
{
    uint32_t args[SHAPE_MAX_ARGS];
    lower_arguments(l, call, args);
    for (uint32_t i = 0; i < call.c; i++) {
        LLVMValueRef at = LLVMConstInt(l->int64, i, 0);
        LLVMValueRef p = LLVMBuildInBoundsGEP2(l->build, l->real1, l->args, &at, 1, "");
        LLVMBuildStore(l->build, l->at[args[i]].v, p);
    }
}

LLVMValueRef lower_call(Lower *l, ShapeOp call)
{
    store_arguments(l, call);
    if (!l->callee.op)
        return call_general(l, call.a, call.c);
    Direct d = {.callee = shape_callee(l->callee), .slot = call.a};
    return call_direct(l, &d, call, NO_DIFFERENCE);
}

LLVMValueRef lower_call_slope(Lower *l, ShapeOp call, uint32_t which)
{
    Direct d = {.slot = call.a + 1 + which};
    if (l->callee.op)
        d.callee = shape_callee(l->callee);
    if (!l->callee.op || d.callee.in[which] != SHAPE_REAL)
        return call_general(l, d.slot, call.c);
    if (d.callee.derivative == SHAPE_BY_DIFFERENCES)
        return call_direct(l, &d, call, which);
    d.callee.out = SHAPE_REAL;
    d.callee.has_which = true;
    return call_direct(l, &d, call, NO_DIFFERENCE);
}
