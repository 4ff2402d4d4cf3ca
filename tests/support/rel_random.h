/* rel_random.h: seed -> a script of random changes to a random system. */
#ifndef TESTS_REL_RANDOM_H
#define TESTS_REL_RANDOM_H

#include "base/vec.h"

typedef VEC(const char *) ScriptLines;

typedef struct RandomSettings {
    uint64_t seed;
    uint32_t changes; /* each ends with a commit */
    uint32_t size;    /* unknowns to hover around */
    uint32_t index;   /* 0: no derivative relations; n: chains of at most n of them */
} RandomSettings;

/* The lines live in the arena. The same settings give the same lines. */
ScriptLines rel_random(Arena *arena, const RandomSettings *settings);

#endif
