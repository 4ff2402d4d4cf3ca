/* lower_function.c: shape, kind and layout -> LLVM function. See lower.h, jit.h.
 *
 * A single instance is straight-line code, in JIT_FIXED with numbers in place of tables. A batch is
 * a loop over instances; with JIT_ARRAYS and `vectors` a loop that takes LOWER_LANES instances at a time, as
 * vectors written out here rather than found by LLVM's vectoriser (which the quick tier does not
 * run, and which would first have to prove that instances do not meet), then one for the rest. Where nothing is
 * called the last turn goes back instead, to have full lanes: it does some instances once more, with the same results. What
 * all instances share is loaded ahead of the loops. */
#include "jit/llvm/lower.h"

#include <string.h>

/* ---- signature ---- */

static void mark(Lower *l, unsigned parameter, const char *attribute)
{
    unsigned kind = LLVMGetEnumAttributeKindForName(attribute, strlen(attribute));
    LLVMAddAttributeAtIndex(l->function, parameter, LLVMCreateEnumAttribute(l->context, kind, 0));
}

static void mark_table(Lower *l, LLVMValueRef parameter, unsigned index, bool constant)
{
    if (!parameter)
        return;
    mark(l, index + 1, "noalias");
    if (constant)
        mark(l, index + 1, "readonly");
}

static bool is_batch(JitLayout layout)
{
    return layout != JIT_SINGLE && layout != JIT_FIXED;
}

static void declare(Lower *l, const char *name)
{
    bool batch = is_batch(l->job->layout), tangents = batch || l->job->kind == JIT_TANGENT;
    LLVMTypeRef params[7];
    unsigned n = 0;
    for (unsigned i = 0; i < 4u + tangents; i++)
        params[n++] = l->pointer;
    for (unsigned i = 0; i < 2u * batch; i++)
        params[n++] = l->int64;
    LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(l->context), params, n, 0);
    l->function = LLVMAddFunction(l->module, name, type);
    mark(l, (unsigned)LLVMAttributeFunctionIndex, "nounwind");
    unsigned at = 0;
    l->values = LLVMGetParam(l->function, at++);
    l->tangents = tangents ? LLVMGetParam(l->function, at++) : NULL;
    l->slots = LLVMGetParam(l->function, at++);
    l->constants = LLVMGetParam(l->function, at++);
    l->env = LLVMGetParam(l->function, at++);
    l->n = batch ? LLVMGetParam(l->function, at++) : NULL;
    l->stride = batch ? LLVMGetParam(l->function, at++) : NULL;
    mark_table(l, l->values, 0, false);
    mark_table(l, l->tangents, 1, false);
    mark_table(l, l->slots, 1 + tangents, true);
    mark_table(l, l->constants, 2 + tangents, true);
}

/* ---- slots ---- */

static bool is_marked(const Lower *l, uint32_t slot)
{
    return l->job->common && l->job->common[slot];
}

static bool is_stored(const Lower *l, uint32_t slot)
{
    const Shape *shape = l->job->shape;
    for (uint32_t i = 0; i < shape->n_ops; i++)
        if (shape->ops[i].op == SHAPE_STORE && shape->ops[i].a == slot)
            return true;
    return false;
}

bool lower_is_apart(const Lower *l, uint32_t slot)
{
    return l->job->layout == JIT_ARRAYS && is_marked(l, slot) && is_stored(l, slot);
}

bool lower_is_common(const Lower *l, uint32_t slot)
{
    return is_marked(l, slot) && !lower_is_apart(l, slot);
}

static LLVMValueRef table_entry(Lower *l, LLVMValueRef table, uint32_t slot)
{
    return LLVMBuildZExt(l->build, lower_table(l, l->int32, table, slot), l->int64, "");
}

/* Numbers of functions are slots too; they are the same in all instances. */
static bool is_function(const Lower *l, uint32_t slot)
{
    const Shape *shape = l->job->shape;
    for (uint32_t i = 0; i < shape->n_ops; i++)
        if (shape->ops[i].op == X_CALL && slot >= shape->ops[i].a &&
            slot <= shape->ops[i].a + shape->ops[i].c)
            return true;
    return false;
}

LLVMValueRef lower_slot_index(Lower *l, uint32_t slot)
{
    if (l->job->layout == JIT_FIXED)
        return LLVMConstInt(l->int64, l->job->slots[slot], 0);
    if (l->job->layout == JIT_SINGLE)
        return table_entry(l, l->slots, slot);
    if (l->job->layout == JIT_TABLES && (!lower_is_common(l, slot) || is_function(l, slot)))
        return table_entry(l, l->row, slot);
    if (l->job->layout == JIT_TABLES)
        return LLVMBuildAdd(l->build, l->slot_index[slot], l->instance, "");
    LLVMValueRef first = l->slot_index[slot];
    if (!l->instance || lower_is_common(l, slot) || is_function(l, slot))
        return first;
    LLVMValueRef offset = l->instance;
    if (l->job->layout == JIT_RECORDS)
        offset = LLVMBuildMul(l->build, l->instance, l->stride, "");
    return LLVMBuildAdd(l->build, first, offset, "");
}

/* ---- ahead of the loops ---- */

static void load_common(Lower *l, uint32_t slot)
{
    LLVMValueRef at = l->slot_index[slot];
    LLVMValueRef p = LLVMBuildInBoundsGEP2(l->build, l->real1, l->values, &at, 1, "");
    l->common[slot].v = LLVMBuildLoad2(l->build, l->real1, p, "");
    if (l->job->kind != JIT_TANGENT)
        return;
    p = LLVMBuildInBoundsGEP2(l->build, l->real1, l->tangents, &at, 1, "");
    l->common[slot].d = LLVMBuildLoad2(l->build, l->real1, p, "");
}

/* In each turn there is one thing to add then, and it is the same for all slots. */
static void find_first(Mem *mem, Lower *l)
{
    LLVMValueRef base[] = {l->values, l->tangents};
    for (int k = 0; k < 2; k++) {
        l->first[k] = mem_alloc(mem, (l->job->shape->n_slots + 1) * sizeof **l->first);
        for (uint32_t i = 0; i < l->job->shape->n_slots; i++)
            if (!lower_is_common(l, i) && !is_function(l, i))
                l->first[k][i] =
                    LLVMBuildInBoundsGEP2(l->build, l->real1, base[k], &l->slot_index[i], 1, "");
    }
}

static void load_ahead(Mem *mem, Lower *l)
{
    const Shape *shape = l->job->shape;
    l->constant_value = mem_alloc(mem, (shape->n_constants + 1) * sizeof *l->constant_value);
    for (uint32_t i = 0; i < shape->n_constants; i++)
        l->constant_value[i] = lower_table(l, l->real1, l->constants, i);
    l->slot_index = mem_alloc(mem, (shape->n_slots + 1) * sizeof *l->slot_index);
    for (uint32_t i = 0; l->job->layout == JIT_TABLES && i < shape->n_slots; i++)
        if (lower_is_common(l, i))
            l->slot_index[i] = table_entry(l, l->slots, i);
    if (l->job->layout == JIT_TABLES)
        return;
    l->common = mem_alloc(mem, (shape->n_slots + 1) * sizeof *l->common);
    for (uint32_t i = 0; i < shape->n_slots; i++) {
        l->slot_index[i] = table_entry(l, l->slots, i);
        if (lower_is_common(l, i) && !is_function(l, i))
            load_common(l, i);
    }
    if (l->job->layout == JIT_ARRAYS)
        find_first(mem, l);
}

static void reserve_arguments(Lower *l)
{
    const Shape *shape = l->job->shape;
    uint32_t most = 0;
    bool calls = false;
    for (uint32_t i = 0; i < shape->n_ops; i++)
        if (shape->ops[i].op == X_CALL) {
            calls = true;
            most = shape->ops[i].c > most ? shape->ops[i].c : most;
        }
    if (calls)
        l->args = LLVMBuildArrayAlloca(l->build, l->real1,
                                       LLVMConstInt(l->int32, most ? most : 1, 0), "");
}

/* ---- loops ---- */

static void set_lanes(Lower *l, unsigned lanes)
{
    l->lanes = lanes;
    l->real = lanes == 1 ? l->real1 : LLVMVectorType(l->real1, lanes);
}

static LLVMBasicBlockRef block(Lower *l)
{
    return LLVMAppendBasicBlockInContext(l->context, l->function, "");
}

static void loop_body(Lower *l)
{
    if (l->job->layout == JIT_TABLES) {
        LLVMValueRef first = LLVMBuildMul(l->build, l->instance, l->stride, "");
        l->row = LLVMBuildInBoundsGEP2(l->build, l->int32, l->slots, &first, 1, "");
    }
    lower_shape(l);
}

/* for (i = start; i + lanes <= n; i += lanes) body; returns the i it ends with */
static LLVMValueRef loop(Lower *l, LLVMValueRef start, unsigned lanes)
{
    LLVMBasicBlockRef before = LLVMGetInsertBlock(l->build);
    LLVMBasicBlockRef head = block(l), body = block(l), done = block(l);
    LLVMValueRef step = LLVMConstInt(l->int64, lanes, 0);
    set_lanes(l, lanes);
    LLVMBuildBr(l->build, head);
    LLVMPositionBuilderAtEnd(l->build, head);
    l->instance = LLVMBuildPhi(l->build, l->int64, "");
    LLVMAddIncoming(l->instance, &start, &before, 1);
    LLVMValueRef next = LLVMBuildNUWAdd(l->build, l->instance, step, "");
    LLVMValueRef more = LLVMBuildICmp(l->build, LLVMIntULE, next, l->n, "");
    LLVMBuildCondBr(l->build, more, body, done);
    LLVMPositionBuilderAtEnd(l->build, body);
    loop_body(l);
    LLVMBasicBlockRef end = LLVMGetInsertBlock(l->build);
    LLVMBuildBr(l->build, head);
    LLVMAddIncoming(l->instance, &next, &end, 1);
    LLVMPositionBuilderAtEnd(l->build, done);
    return l->instance;
}

/* if (lanes <= n) for (i = 0; i < n; i += lanes) body at min(i, n - lanes); returns how many are done, all or none */
static LLVMValueRef loop_over_all(Lower *l, unsigned lanes)
{
    LLVMBasicBlockRef before = LLVMGetInsertBlock(l->build), body = block(l), done = block(l);
    LLVMValueRef zero = LLVMConstInt(l->int64, 0, 0), step = LLVMConstInt(l->int64, lanes, 0);
    set_lanes(l, lanes);
    LLVMValueRef last = LLVMBuildSub(l->build, l->n, step, "");
    LLVMBuildCondBr(l->build, LLVMBuildICmp(l->build, LLVMIntUGE, l->n, step, ""), body, done);
    LLVMPositionBuilderAtEnd(l->build, body);
    LLVMValueRef i = LLVMBuildPhi(l->build, l->int64, "");
    LLVMAddIncoming(i, &zero, &before, 1);
    LLVMValueRef full = LLVMBuildICmp(l->build, LLVMIntULT, i, last, "");
    l->instance = LLVMBuildSelect(l->build, full, i, last, "");
    loop_body(l);
    LLVMValueRef next = LLVMBuildNUWAdd(l->build, i, step, "");
    LLVMBasicBlockRef end = LLVMGetInsertBlock(l->build);
    LLVMBuildCondBr(l->build, LLVMBuildICmp(l->build, LLVMIntULT, next, l->n, ""), body, done);
    LLVMAddIncoming(i, &next, &end, 1);
    LLVMPositionBuilderAtEnd(l->build, done);
    LLVMValueRef reached = LLVMBuildPhi(l->build, l->int64, "");
    LLVMAddIncoming(reached, &zero, &before, 1);
    LLVMAddIncoming(reached, &l->n, &end, 1);
    return reached;
}

static void batch(Mem *mem, Lower *l)
{
    LLVMValueRef i = LLVMConstInt(l->int64, 0, 0);
    load_ahead(mem, l);
    /* foreign functions take one instance at a time */
    if (l->job->layout == JIT_ARRAYS && l->vectors && !l->args)
        i = lower_may_repeat(l) ? loop_over_all(l, LOWER_LANES) : loop(l, i, LOWER_LANES);
    loop(l, i, 1);
    mem_free(mem, l->constant_value);
    mem_free(mem, l->slot_index);
    mem_free(mem, l->common);
    mem_free(mem, l->first[0]);
    mem_free(mem, l->first[1]);
}

/* ---- functions ---- */

static unsigned intrinsic_id(const char *name)
{
    return LLVMLookupIntrinsicID(name, strlen(name));
}

static void prepare(Lower *l)
{
    l->real1 = LLVMDoubleTypeInContext(l->context);
    l->int32 = LLVMInt32TypeInContext(l->context);
    l->int64 = LLVMInt64TypeInContext(l->context);
    l->pointer = LLVMPointerTypeInContext(l->context, 0);
    l->sqrt_id = intrinsic_id("llvm.sqrt");
    l->fabs_id = intrinsic_id("llvm.fabs");
    l->floor_id = intrinsic_id("llvm.floor");
    l->ceil_id = intrinsic_id("llvm.ceil");
    set_lanes(l, 1);
}

/* Tests: the verifier takes it, and no instruction of this machine does it, which is fatal. The
 * other machine is a graphics processor, which no program like this runs on. */
static void call_of_another_machine(Lower *l)
{
    unsigned id = intrinsic_id("llvm.amdgcn.s.sleep");
    LLVMValueRef f = LLVMGetIntrinsicDeclaration(l->module, id, NULL, 0);
    LLVMValueRef arg = LLVMConstInt(l->int32, 0, 0);
    LLVMBuildCall2(l->build, LLVMIntrinsicGetType(l->context, id, NULL, 0), f, &arg, 1, "");
}

void lower_function(Mem *mem, LLVMModuleRef module, const BackendJob *job, bool fast_math,
                    bool vectors)
{
    Lower l = {.module = module, .job = job, .fast_math = fast_math, .vectors = vectors};
    l.context = LLVMGetModuleContext(module);
    l.build = LLVMCreateBuilderInContext(l.context);
    l.at = mem_alloc(mem, (job->shape->n_ops + 1) * sizeof *l.at);
    prepare(&l);
    declare(&l, job->name);
    LLVMPositionBuilderAtEnd(l.build, block(&l));
    reserve_arguments(&l);
    if (is_batch(job->layout))
        batch(mem, &l);
    else
        lower_shape(&l);
    if (job->deadly)
        call_of_another_machine(&l);
    if (!job->broken) /* tests: a block without an end is what LLVM's verifier must find */
        LLVMBuildRetVoid(l.build);
    LLVMDisposeBuilder(l.build);
    mem_free(mem, l.at);
}
