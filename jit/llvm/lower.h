/* lower.h: what the files of the code generator share. Private to jit/llvm/. */
#ifndef JIT_LLVM_LOWER_H
#define JIT_LLVM_LOWER_H

#include "base/vec.h"
#include "jit/backend.h"

#include <llvm-c/Core.h>
#include <llvm-c/TargetMachine.h>

enum { LOWER_LANES = 8 }; /* instances per turn of a vectorised loop */

/* Value of an operation and, in tangent functions, its derivative. */
typedef struct LowerValue {
    LLVMValueRef v, d;
    bool still; /* the derivative is 0 whatever the tangents are */
} LowerValue;

/* One function in the making. */
typedef struct Lower {
    LLVMContextRef context;
    LLVMModuleRef module;
    LLVMBuilderRef build;
    const BackendJob *job;
    bool fast_math, vectors;
    LLVMTypeRef real1, int32, int64, pointer; /* real1: double */
    LLVMTypeRef real;                         /* double, or as many of them as there are lanes */
    unsigned lanes;
    unsigned sqrt_id, fabs_id, floor_id, ceil_id; /* intrinsics */
    LLVMValueRef function, values, tangents, slots, constants, env, n, stride;
    LLVMValueRef args;        /* room for the arguments of a foreign call, or NULL */
    ShapeOp callee;           /* the last SHAPE_CALLEE; op 0: the next call has none */
    LLVMValueRef instance;    /* number of the (first) instance, NULL for JIT_SINGLE */
    LLVMValueRef row;         /* JIT_TABLES: slots of the instance */
    LLVMValueRef *slot_index; /* per slot: its number in the table, when known ahead of the loop */
    LLVMValueRef *first
        [2]; /* JIT_ARRAYS, per slot: where the values and tangents of the first instance lie */
    LLVMValueRef *constant_value; /* per constant: loaded ahead of the loop, or NULL */
    LowerValue *common;           /* per slot: loaded ahead of the loop, v NULL if it was not */
    LowerValue *at;               /* per operation */
} Lower;

/* lower_function.c: shape, kind, layout -> function `job->name` in the module. `vectors`: it may take
 * several instances at a time. */
void lower_function(Mem *mem, LLVMModuleRef module, const BackendJob *job, bool fast_math,
                    bool vectors);
LLVMValueRef lower_slot_index(Lower *l, uint32_t slot); /* i64 */
bool lower_is_common(const Lower *l, uint32_t slot);    /* the same in all instances */
bool lower_is_apart(const Lower *l, uint32_t slot);     /* a result that has a vector of its own */

/* lower_shape.c: the operations of one turn, at the place where the builder stands. */
void lower_shape(Lower *l);
bool lower_may_repeat(const Lower *l); /* a turn done twice leaves the same, and takes little */
LLVMValueRef lower_splat(Lower *l, LLVMValueRef scalar);
LLVMValueRef lower_table(Lower *l, LLVMTypeRef type, LLVMValueRef base, uint64_t index);
/* What lies `offset` bytes behind base. */
LLVMValueRef lower_field(Lower *l, LLVMTypeRef type, LLVMValueRef base, size_t offset);

/* lower_tangent.c: the derivative of operation `op`, whose value is there already. */
void lower_tangent(Lower *l, ShapeOp op, LowerValue *result);

/* Building blocks, all on `real`. */
LLVMValueRef lower_const(Lower *l, double k);
LLVMValueRef lower_fp(Lower *l, LLVMOpcode opcode, LLVMValueRef a, LLVMValueRef b);
LLVMValueRef lower_neg(Lower *l, LLVMValueRef a);
LLVMValueRef lower_compare(Lower *l, LLVMRealPredicate p, LLVMValueRef a, LLVMValueRef b);
LLVMValueRef lower_choose(Lower *l, LLVMValueRef condition, LLVMValueRef yes, LLVMValueRef no);
LLVMValueRef lower_math1(Lower *l, uint32_t math, LLVMValueRef a);
LLVMValueRef lower_math2(Lower *l, uint32_t math, LLVMValueRef a, LLVMValueRef b);
LLVMValueRef lower_intrinsic(Lower *l, unsigned id, LLVMValueRef a);
LLVMValueRef lower_env(Lower *l, size_t offset); /* the pointer there */

/* lower_foreign.c */

/* A call's value; its arguments are in l->args from then on. */
LLVMValueRef lower_call(Lower *l, ShapeOp call);
/* Its derivative by argument number `which`. */
LLVMValueRef lower_call_slope(Lower *l, ShapeOp call, uint32_t which);
/* Arguments of a call, first to last, as numbers of operations. */
void lower_arguments(const Lower *l, ShapeOp call, uint32_t *args);

/* backend_llvm.c: what BACKEND_SYMBOL names. */
JitRefusal solstice_backend_open(Backend *backend, bool fast_math);

/* The same for another machine than this one; for tests. */
JitRefusal solstice_backend_open_for(Backend *backend, const char *triple, const char *cpu,
                                     const char *features);

#endif
