/* jit_math.h: which function of libm stands where in JitEnv.math. Private to jit/.
 *
 * Code calls through this table, so that it calls the very functions that the interpreter calls, so
 * that LLVM cannot know them (and neither folds nor replaces them), and so that code has no
 * relocation to anything outside itself. */
#ifndef JIT_JIT_MATH_H
#define JIT_JIT_MATH_H

#include "ddp/functions.h"

#define JIT_MATH_NAME(NAME, ...) MATH_##NAME,
#define JIT_MATH_NONE(...)
typedef enum JitMath {
    X_FUNCTIONS_OF_ONE(JIT_MATH_NAME, JIT_MATH_NONE)
        X_FUNCTIONS_OF_TWO(JIT_MATH_NAME, JIT_MATH_NONE) MATH_POW,
    MATH_COUNT
} JitMath;
#undef JIT_MATH_NAME
#undef JIT_MATH_NONE

#endif
