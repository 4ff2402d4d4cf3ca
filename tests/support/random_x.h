/* random_x.h: random expressions and numbers for tests, the same in every run. */
#ifndef TESTS_RANDOM_X_H
#define TESTS_RANDOM_X_H

#include "ddp/expr.h"

typedef struct Rng {
    uint64_t state;
} Rng;

uint32_t rng_below(Rng *rng, uint32_t limit);
double rng_real(Rng *rng, double low, double high);

typedef enum RandomKind {
    RANDOM_ANY,    /* every operator, foreign calls if `function` is set */
    RANDOM_SMOOTH, /* differentiable everywhere, no large values */
    RANDOM_TEXT    /* what can be printed and read back: constants not negative */
} RandomKind;

/* An expression of about `size` operators over positions 0..n-1; parts are shared now and then. */
X random_x(FormTable *table, Rng *rng, RandomKind kind, uint32_t size, uint32_t n,
           uint32_t function);

#endif
