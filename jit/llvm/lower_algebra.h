/* lower_algebra.h: the algebra of ddp/functions.h, over instructions that `l` builds. Private to
 * lower_shape.c and lower_tangent.c. */
#ifndef JIT_LLVM_LOWER_ALGEBRA_H
#define JIT_LLVM_LOWER_ALGEBRA_H

#include "ddp/functions.h"
#include "jit/jit_math.h"
#include "jit/llvm/lower.h"

#include <math.h>

#define NEG(x) lower_neg(l, x)
#define ADD(x, y) lower_fp(l, LLVMFAdd, x, y)
#define SUB(x, y) lower_fp(l, LLVMFSub, x, y)
#define MUL(x, y) lower_fp(l, LLVMFMul, x, y)
#define DIV(x, y) lower_fp(l, LLVMFDiv, x, y)
#define SQRT(x) lower_intrinsic(l, l->sqrt_id, x)
#define ABS(x) lower_intrinsic(l, l->fabs_id, x)
#define FLOOR(x) lower_intrinsic(l, l->floor_id, x)
#define CEIL(x) lower_intrinsic(l, l->ceil_id, x)
#define K(k) lower_const(l, k)
#define F(NAME, x) lower_math1(l, MATH_##NAME, x)
#define IS(OP, x, y) IF(OP, x, y, K(1), K(0))
#define IF(OP, x, y, yes, no) lower_choose(l, lower_compare(l, LLVMRealO##OP, x, y), yes, no)
#define UNLESS_0(e, d, x) lower_choose(l, lower_compare(l, LLVMRealOEQ, e, K(0)), d, x)
#define STEPS NULL

#endif
