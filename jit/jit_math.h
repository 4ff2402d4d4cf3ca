/* jit_math.h: which function of libm stands where in JitEnv.math. Private to jit/.
 *
 * Code calls through this table, so that it calls the very functions that the interpreter calls, so
 * that LLVM cannot know them (and neither folds nor replaces them), and so that code has no
 * relocation to anything outside itself. */
#ifndef JIT_JIT_MATH_H
#define JIT_JIT_MATH_H

#define JIT_MATH_UNARY(ROW)                                                                        \
    ROW(SIN, sin)                                                                                  \
    ROW(COS, cos)                                                                                  \
    ROW(TAN, tan)                                                                                  \
    ROW(ASIN, asin)                                                                                \
    ROW(ACOS, acos)                                                                                \
    ROW(ATAN, atan)                                                                                \
    ROW(SINH, sinh)                                                                                \
    ROW(COSH, cosh)                                                                                \
    ROW(TANH, tanh)                                                                                \
    ROW(EXP, exp)                                                                                  \
    ROW(LOG, log)                                                                                  \
    ROW(LOG10, log10)                                                                              \
    ROW(FLOOR, floor)                                                                              \
    ROW(CEIL, ceil)                                                                                \
    ROW(ROUND, round)

#define JIT_MATH_BINARY(ROW)                                                                       \
    ROW(POW, pow)                                                                                  \
    ROW(ATAN2, atan2)

#define JIT_MATH_NAME(NAME, function) MATH_##NAME,
typedef enum JitMath {
    JIT_MATH_UNARY(JIT_MATH_NAME) JIT_MATH_BINARY(JIT_MATH_NAME) MATH_COUNT
} JitMath;
#undef JIT_MATH_NAME

#endif
