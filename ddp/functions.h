/* functions.h: the functions of Sol, each told once: name, type of the result, value, slope.
 *
 * Value and slope are written in a small algebra, and whoever expands a table says what the algebra
 * means: numbers (apply.h, jit/interp.c), expressions (differentiate.c), instructions of LLVM
 * (jit/llvm/lower_shape.c, lower_tangent.c). Names come from here too: operators (expr.h), texts
 * (expr_text.c), what a text may call (frontend/predefined.c), what code calls (jit/jit_math.h).
 *
 *     LIBM  row of a function whose value is that of the function of libm of this name
 *     OWN   row of a function whose value is computed here
 *
 *     a, b     operands            v  the value
 *     d, e     their derivatives   K  a number
 *     NEG ADD SUB MUL DIV SQRT ABS FLOOR CEIL
 *     F(NAME, x)                 another function of one operand
 *     IS(LT, x, y)               1 where x < y, else 0
 *     IF(LT, x, y, yes, no)      a choice without an event
 *     UNLESS_0(e, d, x)          x, or d where e is 0 and x need not be a number
 *     STEPS                      slope of a function that jumps, and is constant elsewhere
 *
 * A function that is added here needs a line in docs/language.md and nothing else. The tests have
 * tables of their own: two readings of one row that agree prove nothing. */
#ifndef DDP_FUNCTIONS_H
#define DDP_FUNCTIONS_H

/* clang-format off */
#define X_FUNCTIONS_OF_ONE(LIBM, OWN)                                                              \
    LIBM(SIN,   sin,   REAL,                        MUL(F(COS, a), d))                             \
    LIBM(COS,   cos,   REAL,                        NEG(MUL(F(SIN, a), d)))                        \
    LIBM(TAN,   tan,   REAL,                        MUL(ADD(K(1), MUL(v, v)), d))                  \
    LIBM(ASIN,  asin,  REAL,                        DIV(d, SQRT(SUB(K(1), MUL(a, a)))))            \
    LIBM(ACOS,  acos,  REAL,                        NEG(DIV(d, SQRT(SUB(K(1), MUL(a, a))))))       \
    LIBM(ATAN,  atan,  REAL,                        DIV(d, ADD(K(1), MUL(a, a))))                  \
    LIBM(SINH,  sinh,  REAL,                        MUL(F(COSH, a), d))                            \
    LIBM(COSH,  cosh,  REAL,                        MUL(F(SINH, a), d))                            \
    LIBM(TANH,  tanh,  REAL,                        MUL(SUB(K(1), MUL(v, v)), d))                  \
    LIBM(EXP,   exp,   REAL,                        MUL(v, d))                                     \
    LIBM(LOG,   log,   REAL,                        DIV(d, a))                                     \
    LIBM(LOG10, log10, REAL,                        DIV(d, MUL(K(M_LN10), a)))                     \
    OWN(SQRT,   sqrt,  REAL,    SQRT(a),            DIV(d, MUL(K(2), v)))                          \
    OWN(ABS,    abs,   LIKE,    ABS(a),             IF(GE, a, K(0), d, NEG(d)))                    \
    OWN(SIGN,   sign,  INTEGER, SUB(IS(GT, a, K(0)), IS(LT, a, K(0))), STEPS)                      \
    OWN(FLOOR,  floor, INTEGER, FLOOR(a),           STEPS)                                         \
    OWN(CEIL,   ceil,  INTEGER, CEIL(a),            STEPS)                                         \
    LIBM(ROUND, round, INTEGER,                     STEPS)

/* The names of the operands, for calls that name their arguments, come after the type. */
#define X_FUNCTIONS_OF_TWO(LIBM, OWN)                                                              \
    LIBM(ATAN2, atan2, REAL, "y", "x",                                                             \
         DIV(SUB(MUL(b, d), MUL(a, e)), ADD(MUL(a, a), MUL(b, b))))                                \
    OWN(MIN, min, LIKE, "a", "b", IF(LT, b, a, b, a), IF(LT, b, a, e, d))                          \
    OWN(MAX, max, LIKE, "a", "b", IF(GT, b, a, b, a), IF(GT, b, a, e, d))                          \
    OWN(MOD, mod, LIKE, "a", "b", SUB(a, MUL(b, FLOOR(DIV(a, b)))),                                \
        UNLESS_0(e, d, SUB(d, MUL(FLOOR(DIV(a, b)), e))))
/* clang-format on */

#endif
